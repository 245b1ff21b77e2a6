//! Looks at what runs below the child: who is in front, the programs, the directory.

use super::Worker;
use crate::server::terminal::handle::Fact;
use crate::server::terminal::process;
use std::time::Instant;

impl Worker {
    /// A shell that has just said that its command ended stands alone in front again. It is looked at now, so
    /// that whoever hears of that end does not find the pane busy with it until the next look.
    pub(super) fn look_after_command(&mut self, now: Instant) {
        if self.program.busy && self.shared.program().is_some_and(|program| !program.busy) {
            self.look_at_program(now);
        }
    }

    pub(super) fn look_at_program(&mut self, now: Instant) {
        self.shared.gauge.looked();
        self.look_at_directory();
        let Some(program) = self.shared.program() else { return };
        if self.shared.shell_name.get().is_none() {
            if program.name.as_deref().is_some_and(process::is_unborn) {
                return self.looks.again(now);
            }
            // Right after its start a shell has not replaced itself yet.
            let in_front = program.group == self.shared.root.get().map(|root| root.pid);
            self.shared.shell_name.get_or_init(|| program.name.clone().filter(|_| in_front));
        }
        if self.shared.look_at_processes() {
            // What has just been started may be on its way to become something else.
            self.looks.again(now);
        }
        let alone = self.shared.is_alone(&program);
        if program == self.program {
            if !program.busy {
                self.outbox.push(Fact::AtPrompt);
            }
            self.outbox.push(Fact::Scanned { alone });
            return;
        }
        if program.group != self.program.group {
            // It may still be the shell's child on its way to become the program.
            self.looks.again(now);
        }
        if (&program.name, program.busy) != (&self.program.name, self.program.busy) {
            self.outbox.push(Fact::Program { name: program.name.clone(), busy: program.busy });
        }
        self.program = program;
        self.outbox.push(Fact::Scanned { alone });
    }

    /// A change of the directory shows as a new prompt at the latest, and so by a look. Where a look is
    /// dear, the child has to tell it.
    fn look_at_directory(&mut self) {
        if process::DIRECTORY_IS_CHEAP {
            let directory = self.shared.look_at_directory();
            if directory != self.directory {
                self.outbox.push(Fact::Cwd(directory.to_string_lossy().into_owned()));
                self.directory = directory;
            }
        }
    }
}
