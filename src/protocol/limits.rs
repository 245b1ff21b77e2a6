//! Every bound in the system, with its reason.

/// A UHP frame with its LF (`uhp.md` section 1).
pub const UHP_FRAME_BYTES: usize = 1_048_576;
/// A runtime request line without its LF (`runtime.md` 2.2).
pub const RUNTIME_REQUEST_BYTES: usize = 131_072;
/// A runtime response (`runtime.md` 2.2).
pub const RUNTIME_RESPONSE_BYTES: usize = 32 * 1_048_576;
/// Connections of the runtime protocol's own listener at a time (`runtime.md` 2.2).
pub const RUNTIME_CONNECTIONS: usize = 64;
/// Text of a prompt or a paste (`runtime.md` 7.4).
pub const RUNTIME_TEXT_BYTES: usize = 32_768;
/// Lines of a read (`runtime.md` 7.5).
pub const RUNTIME_READ_LINES: u64 = 2_000;
/// Text of a read (`runtime.md` 7.5).
pub const RUNTIME_READ_BYTES: usize = 1_048_576;
/// Kept output of one stream of `pane.exec` (`runtime.md` 7.8).
pub const RUNTIME_EXEC_BYTES: u64 = 16_777_216;
/// The longest wait, in milliseconds (`runtime.md` 6.5).
pub const RUNTIME_WAIT_MS: u64 = 86_400_000;
/// Steps of one orchestration (`runtime.md` 10).
pub const RUNTIME_STEPS: usize = 32;
/// Connections that one server serves at a time, attached clients not counted (`uhp.md` section 1).
pub const API_CONNECTIONS: usize = 80;
/// Attached clients at a time: far more than people have screens.
pub const ATTACHED_CLIENTS: usize = 64;
/// How long a connection may take for its first frame, in milliseconds (`uhp.md` section 1).
pub const FIRST_FRAME_MS: u64 = 5_000;
/// One attach message from a client: the longest is a paste.
pub const ATTACH_REQUEST_BYTES: usize = PASTE_BYTES + 4_096;
/// One attach message from the server: a whole picture of 1,000 × 1,000 cells of clusters fits.
pub const ATTACH_REPLY_BYTES: usize = 64 * 1_048_576;
/// The longest change of settings that a client sends at once.
pub const CONFIGURE_BYTES: usize = 16_384;
/// The longest paste that a client sends as one action.
pub const PASTE_BYTES: usize = 1_048_576;
/// Text that a client copies at once: terminals take no longer OSC 52 anyway.
pub const COPY_BYTES: usize = 1_048_576;
/// What a client searches for.
pub const QUERY_BYTES: usize = 1_024;
/// The largest screen a client may announce, in rows or columns.
pub const SCREEN_CELLS: u16 = 1_000;

/// Input actions that wait for one child (`uhp.md` section 11).
pub const QUEUED_INPUT_ACTIONS: usize = 4_096;
/// Bytes of input that wait for one child (`uhp.md` section 11).
pub const QUEUED_INPUT_BYTES: usize = 8_388_608;
/// Text of one UHP input request (`uhp.md` section 5.3).
pub const INPUT_BYTES: usize = 262_144;

/// Lines of one capture (`uhp.md` section 5.3).
pub const CAPTURE_LINES: usize = 300;
/// Bytes of one capture (`uhp.md` section 5.3).
pub const CAPTURE_BYTES: usize = 524_288;
/// Terminals in an inventory (`uhp.md` section 5.3); more panes than that are refused.
pub const TERMINALS: usize = 1_024;
/// The longest wait, in milliseconds (`uhp.md` section 5.3).
pub const WAIT_TIMEOUT_MS: u64 = 300_000;

/// Events that may wait for one subscriber (`uhp.md` section 9.2).
pub const EVENT_QUEUE: usize = 256;
/// Events that can be asked for again (`uhp.md` section 15).
pub const EVENT_REPLAY: usize = 256;
/// Bytes of their frames.
pub const EVENT_REPLAY_BYTES: usize = 1_048_576;
/// Open event subscriptions of one server (`uhp.md` section 5.3).
pub const EVENT_SUBSCRIBERS: usize = 64;

/// Delegated tokens of one server, and how long one lasts at most (`uhp.md` section 20).
pub const TOKENS: usize = 64;
/// A day, in seconds.
pub const TOKEN_TTL_S: u64 = 86_400;

/// A label or a title, in bytes (`uhp.md` section 5.3).
pub const TITLE_BYTES: usize = 256;
/// The body of a notification, in bytes (`uhp.md` section 5.3).
pub const NOTIFICATION_BODY_BYTES: usize = 8_192;

/// Observe and control streams of one server (`uhp.md` section 5.3).
pub const STREAMS: usize = 8;
/// Frames that wait for one stream's reader (`uhp.md` section 5.3).
pub const STREAM_QUEUE: usize = 2;
/// Text of one frame of a stream (`uhp.md` section 5.3).
pub const STREAM_BYTES: usize = 65_536;
/// Lines of one frame of a stream (`uhp.md` section 5.3).
pub const STREAM_LINES: usize = 200;
/// The widest viewport, in columns (`uhp.md` section 5.3).
pub const VIEWPORT_COLS: u16 = 500;
/// The highest viewport, in rows (`uhp.md` section 5.3).
pub const VIEWPORT_ROWS: u16 = 300;
/// One image, decoded (`uhp.md` section 7.7).
pub const IMAGE_BYTES: usize = 163_840;
/// One chunk of an upload, decoded (`uhp.md` section 7.7).
pub const UPLOAD_CHUNK_BYTES: usize = 163_840;
/// One uploaded file (`uhp.md` section 7.7).
pub const UPLOAD_BYTES: u64 = 33_554_432;
/// All complete files of a session together: the oldest make room for a new one.
pub const UPLOADS_BYTES: u64 = 536_870_912;
/// How many of them there are at most.
pub const UPLOADS: usize = 1_024;
/// The name of an uploaded file, in bytes (`uhp.md` section 7.7).
pub const FILE_NAME_BYTES: usize = 255;

/// Ends of panes that are remembered (`runtime.md` section 5).
pub const PANE_LIFECYCLES: usize = 256;

/// Splits on the way to a pane of a layout that a peer hands in: more have no room on any screen.
pub const LAYOUT_DEPTH: usize = 64;
/// The smallest pane content that a split may leave (`spec/README.md` point 11).
pub const MIN_PANE_COLS: u16 = 10;
/// The smallest pane content that a split may leave (`spec/README.md` point 11).
pub const MIN_PANE_ROWS: u16 = 3;
/// The smallest screen of a client (`product.md` section 5).
pub const MIN_CLIENT_COLS: u16 = 24;
/// The smallest screen of a client (`product.md` section 5).
pub const MIN_CLIENT_ROWS: u16 = 6;

