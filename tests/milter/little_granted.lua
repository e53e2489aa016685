-- A server that grants too little: each action that these edits need is left out in turn, and the message passes as it is.
dofile(folder .. "/common.lua")

for _, left in ipairs({ SMFIF_CHGBODY, SMFIF_CHGHDRS }) do
	local conn = open()
	negotiate(conn, 6, 0x1ff - left, 0x1fffff)
	begin(conn, LATIN)
	want("goes on", finish(conn, { "caf\233\r\n" }) == SMFIR_CONTINUE)
	want("the body stays", not mt.eom_check(conn, MT_BODYCHANGE))
	want("no field changes", not mt.eom_check(conn, MT_HDRCHANGE))
	mt.disconnect(conn)
end

-- An old version of the protocol is spoken, too.
local conn = open()
negotiate(conn, 2, 0x3f, 0)
begin(conn, LATIN)
want("goes on", finish(conn, { "caf\233\r\n" }) == SMFIR_CONTINUE)
want("body", mt.eom_check(conn, MT_BODYCHANGE, "caf\195\169\r\n"))
mt.disconnect(conn)
