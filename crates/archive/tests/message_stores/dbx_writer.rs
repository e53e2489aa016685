//! Writes dbx files of Outlook Express, after Arne Schloh's "OE dbx file format". Segments of several messages alternate.

/// Bytes of the file header, of a node, and of a segment.
const HEADER: usize = 0x24bc;
const NODE: usize = 0x27c;
const SEGMENT: usize = 0x210;

/// A message to write.
#[derive(Clone, Debug)]
pub(crate) struct DbxMessage {
    pub(crate) bytes: Vec<u8>,
    pub(crate) flags: u32,
    /// Whether the index has the message, and not its header only.
    pub(crate) is_downloaded: bool,
}

impl DbxMessage {
    pub(crate) fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: bytes.into(),
            flags: 0,
            is_downloaded: true,
        }
    }
}

/// A written file, and where its parts are.
#[derive(Clone, Debug)]
pub(crate) struct DbxFile {
    pub(crate) bytes: Vec<u8>,
    /// Nodes; the last one is the root.
    pub(crate) nodes: Vec<usize>,
    pub(crate) infos: Vec<usize>,
    /// Segments of each message.
    pub(crate) segments: Vec<Vec<usize>>,
}

impl DbxFile {
    /// Writes a file whose nodes have up to `per_node` messages.
    pub(crate) fn of(messages: &[DbxMessage], per_node: usize) -> Self {
        let mut file = Self {
            bytes: vec![0; HEADER],
            nodes: Vec::new(),
            infos: Vec::new(),
            segments: vec![Vec::new(); messages.len()],
        };
        let start = [
            0xcf, 0xad, 0x12, 0xfe, 0xc5, 0xfd, 0x74, 0x6f, 0x66, 0xe3, 0xd1, 0x11, 0x9a, 0x4e, 0,
            0xc0, 0x4f, 0xa3, 0x09, 0xd4, 5, 0, 0, 0, 5, 0, 0, 0,
        ];
        file.bytes[..start.len()].copy_from_slice(&start);
        file.put(0xc4, messages.len());
        file.add_segments(messages);
        for (number, message) in messages.iter().enumerate() {
            file.add_info(number, message);
        }
        if !messages.is_empty() {
            let root = file.add_node(0..messages.len(), per_node);
            file.put(0xe4, root);
        }
        file
    }

    /// Sets a number of four bytes.
    pub(crate) fn put(&mut self, at: usize, value: usize) {
        let value = u32::try_from(value).unwrap().to_le_bytes();
        self.bytes[at..at + 4].copy_from_slice(&value);
    }

    /// Adds bytes, and returns where they are. The first four become that offset.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> usize {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.put(at, at);
        at
    }

    fn add_segments(&mut self, messages: &[DbxMessage]) {
        let count = |message: &DbxMessage| message.bytes.len().div_ceil(0x200).max(1);
        let most = messages.iter().map(count).max().unwrap_or(0);
        for round in 0..most {
            for (number, message) in messages.iter().enumerate() {
                if !message.is_downloaded || round >= count(message) {
                    continue;
                }
                let text = message.bytes.chunks(0x200).nth(round).unwrap_or_default();
                let mut segment = vec![0; 0x10];
                segment.extend_from_slice(text);
                segment.resize(SEGMENT, 0xdd);
                let at = self.add(&segment);
                self.put(at + 4, 0x200);
                self.put(at + 8, text.len());
                self.put(at + 12, 0);
                if let Some(before) = self.segments[number].last() {
                    self.put(before + 12, at);
                }
                self.segments[number].push(at);
            }
        }
    }

    /// Every second message has its place behind the fields, and the others in them.
    fn add_info(&mut self, number: usize, message: &DbxMessage) {
        let mut fields: Vec<[u8; 4]> = Vec::new();
        let mut data = Vec::new();
        let mut field = |number: u8, value: u32, is_direct: bool| {
            let bits = if is_direct { value } else { data.len() as u32 };
            fields.push((u32::from(number) | u32::from(is_direct) << 7 | bits << 8).to_le_bytes());
            if !is_direct {
                data.extend_from_slice(&value.to_le_bytes());
            }
        };
        field(0, number as u32, true);
        field(1, message.flags, message.flags < 1 << 16);
        if let Some(first) = self.segments[number].first() {
            field(4, *first as u32, number.is_multiple_of(2));
        }
        let body = [fields.concat(), data].concat();
        let mut info = vec![0; 12];
        info[4..8].copy_from_slice(&(body.len() as u32).to_le_bytes());
        info[10] = fields.len() as u8;
        info.extend_from_slice(&body);
        let at = self.add(&info);
        self.infos.push(at);
    }

    /// Adds a node and those below it.
    fn add_node(&mut self, range: std::ops::Range<usize>, per_node: usize) -> usize {
        let mut node = vec![0; 0x18];
        let entry = |place: usize, child: usize, below: usize| {
            [place, child, below]
                .map(|value| u32::try_from(value).unwrap().to_le_bytes())
                .concat()
        };
        if range.len() <= per_node {
            for number in range.clone() {
                node.extend_from_slice(&entry(self.infos[number], 0, 0));
            }
            node[0x11] = range.len() as u8;
        } else {
            // One message after each child but the last one.
            let step = range.len().div_ceil(per_node + 1);
            let below = range.start..range.start + step.min(range.len());
            let child = self.add_node(below.clone(), per_node);
            node[8..12].copy_from_slice(&(child as u32).to_le_bytes());
            node[0x14..0x18].copy_from_slice(&(below.len() as u32).to_le_bytes());
            let mut at = below.end;
            while at < range.end {
                let below = at + 1..(at + 1 + step).min(range.end);
                let length = below.len();
                let child = if length == 0 {
                    0
                } else {
                    self.add_node(below, per_node)
                };
                node.extend_from_slice(&entry(self.infos[at], child, length));
                node[0x11] += 1;
                at += 1 + length;
            }
        }
        node.resize(NODE, 0);
        let at = self.add(&node);
        self.nodes.push(at);
        at
    }
}
