//! Who is attached, how large, and whose size rules (`spec/README.md` points 20 and 21).

use super::{Hub, HubError, Reply};
use crate::protocol::attach::message::{Farewell, Level, Room, ToClient};
use crate::protocol::geometry::Size;
use crate::protocol::ids::ClientId;
use crate::protocol::limits;
use crate::protocol::outer::OuterColors;
use std::collections::BTreeMap;
use tokio::sync::{mpsc, oneshot};

/// Messages that may wait for one client besides pictures; notices past that are dropped, because a
/// client that reads nothing has nobody in front of it.
const CONTROL_MESSAGES: usize = 64;

/// What a driver gets for its client.
pub struct Attached {
    /// The client's number.
    pub client: ClientId,
    /// Messages of the hub for it.
    pub control: mpsc::Receiver<ToClient>,
    /// The hub's wish to end the connection.
    pub farewell: oneshot::Receiver<Farewell>,
}

struct Client {
    room: Room,
    focused: bool,
    /// What its terminal has told.
    colors: OuterColors,
    /// Rises with each claim; the highest owns the sizes.
    last_input: u64,
    control: mpsc::Sender<ToClient>,
    farewell: oneshot::Sender<Farewell>,
}

/// The attached clients.
pub(super) struct Clients {
    clients: BTreeMap<ClientId, Client>,
    next_client: u64,
    claims: u64,
    /// The room in force: of the owner, or of the last one there was.
    room: Room,
}

impl Clients {
    pub(super) fn new(area: Size) -> Self {
        Self { clients: BTreeMap::new(), next_client: 1, claims: 0, room: Room { area, alone: false } }
    }

    pub(super) fn count(&self) -> usize {
        self.clients.len()
    }

    pub(super) fn room(&self) -> Room {
        self.room
    }

    pub(super) fn area(&self) -> Size {
        self.room.area
    }

    /// Whether somebody looks at the focused pane: a terminal that reports no focus counts.
    pub(super) fn anybody_looks(&self) -> bool {
        self.clients.values().any(|client| client.focused)
    }

    pub(super) fn tell_all(&self, message: &ToClient) {
        for client in self.clients.values() {
            let _ = client.control.try_send(message.clone());
        }
    }

    pub(super) fn notice(&self, level: Level, text: &str) {
        self.tell_all(&ToClient::Notice(level, text.to_owned()));
    }

    /// Tells the client that gave input last.
    pub(super) fn tell_owner(&self, message: ToClient) {
        if let Some(client) = self.owner().and_then(|owner| self.clients.get(&owner)) {
            let _ = client.control.try_send(message);
        }
    }

    /// Says farewell to the owner or to everybody; returns to how many.
    pub(super) fn detach(&mut self, all: bool) -> usize {
        let leaving: Vec<_> =
            if all { self.clients.keys().copied().collect() } else { self.owner().into_iter().collect() };
        for client in &leaving {
            self.dismiss(*client, Farewell::Detached);
        }
        leaving.len()
    }

    /// Says farewell to everybody.
    pub(super) fn dismiss_all(&mut self, farewell: &Farewell) {
        for client in self.clients.keys().copied().collect::<Vec<_>>() {
            self.dismiss(client, farewell.clone());
        }
    }

    fn dismiss(&mut self, client: ClientId, farewell: Farewell) {
        if let Some(client) = self.clients.remove(&client) {
            let _ = client.farewell.send(farewell);
        }
    }

    fn owner(&self) -> Option<ClientId> {
        self.clients.iter().max_by_key(|(_, client)| client.last_input).map(|(id, _)| *id)
    }

    /// The colours of the owner's terminal; unknown ones while nobody is attached.
    fn colors(&self) -> OuterColors {
        self.owner()
            .and_then(|owner| self.clients.get(&owner))
            .map(|client| client.colors)
            .unwrap_or_default()
    }

    /// Takes the owner's room, if there is an owner.
    fn follow_owner(&mut self) {
        if let Some(owner) = self.owner().and_then(|owner| self.clients.get(&owner)) {
            self.room = owner.room;
        }
    }
}

impl Hub {
    pub(super) fn attach(&mut self, room: Room, reply: Reply<Attached>) {
        if self.clients.clients.len() >= limits::ATTACHED_CLIENTS {
            let _ = reply.send(Err(HubError::TooManyClients));
            return;
        }
        let id = ClientId(self.clients.next_client);
        self.clients.next_client += 1;
        let (control, control_receiver) = mpsc::channel(CONTROL_MESSAGES);
        let (farewell, farewell_receiver) = oneshot::channel();
        // The first to attach owns the sizes; later ones wait for their first input.
        let last_input = if self.clients.clients.is_empty() { self.next_claim() } else { 0 };
        for told in self.projects_untold() {
            let _ = control.try_send(told);
        }
        let colors = OuterColors::default();
        let client = Client { room: clamp(room), focused: true, colors, last_input, control, farewell };
        self.clients.clients.insert(id, client);
        self.owner_changed();
        let history = self.alerts.history();
        if let Some(client) = self.clients.clients.get(&id).filter(|_| !history.is_empty()) {
            let _ = client.control.try_send(ToClient::History(history));
        }
        let attached = Attached { client: id, control: control_receiver, farewell: farewell_receiver };
        if reply.send(Ok(attached)).is_err() {
            self.leave(id);
        } else if let Some(text) = self.untold() {
            self.notice(Level::Warning, &text);
        }
    }

    pub(super) fn leave(&mut self, client: ClientId) {
        self.keeping.activity().press();
        self.clients.clients.remove(&client);
        self.scratch_hidden(client);
        self.owner_changed();
    }

    pub(super) fn claim(&mut self, client: ClientId) {
        let claim = self.next_claim();
        if let Some(client) = self.clients.clients.get_mut(&client) {
            client.last_input = claim;
        }
        self.owner_changed();
    }

    pub(super) fn client_room(&mut self, client: ClientId, room: Room) {
        if let Some(client) = self.clients.clients.get_mut(&client) {
            client.room = clamp(room);
        }
        self.owner_changed();
    }

    pub(super) fn client_colors(&mut self, client: ClientId, colors: OuterColors) {
        if let Some(client) = self.clients.clients.get_mut(&client) {
            client.colors = colors;
        }
        self.terminals.shown_in(self.clients.colors());
    }

    pub(super) fn window_focus(&mut self, client: ClientId, focused: bool) {
        if let Some(client) = self.clients.clients.get_mut(&client) {
            client.focused = focused;
        }
        self.publish();
    }

    fn next_claim(&mut self) -> u64 {
        self.clients.claims += 1;
        self.clients.claims
    }

    fn owner_changed(&mut self) {
        self.shared.set_owner(self.clients.owner());
        self.clients.follow_owner();
        self.terminals.shown_in(self.clients.colors());
        self.publish();
    }
}

fn clamp(room: Room) -> Room {
    let cells = |cells: u16| cells.clamp(1, limits::SCREEN_CELLS);
    Room { area: Size::new(cells(room.area.rows), cells(room.area.cols)), ..room }
}
