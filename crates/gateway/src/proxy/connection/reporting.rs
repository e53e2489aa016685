//! Reports the messages and faults of a connection.
//!
//! # Limits
//! A message is reported when its client has the final reply. Later failures of the next hop are not in the record.

use super::ProxyConnection;
use crate::envelope::Envelope;
use crate::event::{Record, ServerEvent};
use crate::fault::Fault;
use crate::policy::Action;
use crate::remark::Remark;

impl ProxyConnection {
    pub(super) fn fault(&self, fault: &Fault) {
        self.shared.report(&ServerEvent::Fault {
            connection: self.handle.number,
            peer: &self.address,
            fault,
        });
    }

    pub(super) fn envelope(&self) -> Envelope {
        let (sender, queue_id, _) = self.session.envelope();
        let recipients = self.session.recipients();
        let mut envelope = Envelope {
            sender: sender.to_vec(),
            queue_id: queue_id.to_vec(),
            smtputf8: self.session.is_smtputf8(),
            eight_bit: self.session.is_eight_bit(),
            ..Envelope::default()
        };
        for recipient in recipients {
            envelope.recipient(recipient);
        }
        envelope
    }

    pub(super) fn peer(&self) -> String {
        let (.., peer) = self.session.envelope();
        peer.map_or_else(
            || self.address.clone(),
            |peer| String::from_utf8_lossy(peer).into_owned(),
        )
    }

    /// Returns the bytes that the client sent of a message that has `size` bytes after its line ends were corrected.
    pub(super) fn bytes_received(&self, size: u64) -> u64 {
        size.saturating_add_signed(-self.session.grown())
    }

    /// Reports a message whose end does not come, which its client sends again. Returns true if `fault` cut it off, and not the server's
    /// stop.
    pub(super) fn report_cut_message(&self, fault: &Fault) -> bool {
        if !self.session.is_in_content() {
            return false;
        }
        let stopping = self.shared.is_stopping();
        let fault = if stopping { &Fault::Stopped } else { fault };
        let mut record = Record::new(
            self.envelope(),
            &self.peer(),
            self.bytes_received(self.incoming.size),
        );
        record.judged_by(&self.shared.engine().rules);
        fault.defer(&mut record);
        self.shared.report(&ServerEvent::Message(&record));
        !stopping
    }

    /// Reports the message whose final reply the client has.
    pub(super) fn report_message(&mut self) {
        let Some((mut record, start)) = self.record.take() else {
            return;
        };
        record.time = start.elapsed();
        let said = self.session.delivery();
        if record.action != Action::Reject && record.action != Action::Tempfail {
            if said.taken == 0 && said.deferred > 0 {
                record.action = Action::Tempfail;
            } else if said.taken == 0 && said.refused > 0 {
                record.action = Action::Reject;
            }
            if said.taken == 0 && said.deferred + said.refused > 0 {
                record.bytes_out = 0;
            }
            if said.lost {
                record.remark = Some(Remark::NextHopLost);
            } else if said.deferred + said.refused > 0 {
                record.remark = Some(Remark::NextHopRefused);
            }
        }
        self.shared.report(&ServerEvent::Message(&record));
    }
}
