-- Signed mail stays, whoever signed it and in whatever charset it is.
dofile(folder .. "/common.lua")

local signed = {
	{ "DKIM-Signature", "v=1; a=rsa-sha256; d=test.invalid; s=s; h=from:subject; bh=AAAA; b=AAAA" },
	{ "ARC-Seal", "i=1; a=rsa-sha256; d=test.invalid; s=s; cv=none; b=AAAA" },
}
for _, field in ipairs(signed) do
	local conn = open()
	local fields = { field }
	for _, other in ipairs(LATIN) do
		table.insert(fields, other)
	end
	begin(conn, fields)
	want("goes on", finish(conn, { "caf\233\r\n" }) == SMFIR_CONTINUE)
	want("the body stays", not mt.eom_check(conn, MT_BODYCHANGE))
	want("no field changes", not mt.eom_check(conn, MT_HDRCHANGE) and not mt.eom_check(conn, MT_HDRDELETE))
	mt.disconnect(conn)
end
