-- A server that lets every answer be left out: values keep their space, and mail is rewritten.
dofile(folder .. "/common.lua")

local conn = open()
step("conninfo", mt.conninfo, conn, "client.test.invalid", "192.0.2.7")
begin(conn, LATIN)
want("goes on", finish(conn, { "caf\233\r\n" }) == SMFIR_CONTINUE)
want("charset", mt.eom_check(conn, MT_HDRCHANGE, "Content-Type"))
want("body", mt.eom_check(conn, MT_BODYCHANGE, "caf\195\169\r\n"))
mt.disconnect(conn)
