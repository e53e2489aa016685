-- Several messages on one connection, one of them broken off; nothing of one is seen in the next.
dofile(folder .. "/common.lua")

local plain = {
	{ "From", "a@test.invalid" },
	{ "Subject", "plain" },
	{ "Content-Type", "text/plain; charset=utf-8" },
}
local conn = open()
step("conninfo", mt.conninfo, conn, "client.test.invalid", "unspec")
begin(conn, LATIN)
step("bodystring", mt.bodystring, conn, "half of a mess\233ge\r\n")
mt.abort(conn)
begin(conn, plain)
want("goes on", finish(conn, { "plain\r\n" }) == SMFIR_CONTINUE)
want("nothing changes", not mt.eom_check(conn, MT_HDRCHANGE) and not mt.eom_check(conn, MT_BODYCHANGE))
begin(conn, LATIN)
want("goes on", finish(conn, { "caf\233\r\n" }) == SMFIR_CONTINUE)
want("body", mt.eom_check(conn, MT_BODYCHANGE, "caf\195\169\r\n"))
mt.disconnect(conn)

-- A server that just goes away, in a message and between messages.
conn = open()
begin(conn, LATIN)
mt.disconnect(conn, false)
conn = open()
mt.disconnect(conn, false)
conn = open()
begin(conn, plain)
want("goes on", finish(conn, {}) == SMFIR_CONTINUE)
mt.disconnect(conn)
