-- Steps that all scripts share. Globals from the command line: socket.

local function fail(what)
	mt.echo("FAIL " .. what)
	error(what)
end

function want(what, so)
	if not so then
		fail(what)
	end
end

-- Runs a step; one that was negotiated away is left out, as every server leaves it out. What is answered must let mail go on.
function step(name, does, conn, ...)
	local well, problem = pcall(does, conn, ...)
	if well and problem == nil then
		return true
	end
	problem = tostring(problem)
	if string.find(problem, "negotiated", 1, true) then
		return false
	end
	fail(name .. ": " .. problem)
end

function open()
	local conn = mt.connect("unix:" .. socket, 20, 0.1)
	want("connected", conn ~= nil)
	return conn
end

-- Negotiates. miltertest sends its third argument as steps and its fourth as actions, whatever its manual says.
function negotiate(conn, version, actions, steps)
	want("negotiated", mt.negotiate(conn, version, steps, actions) == nil)
end

-- A message up to the end of its header.
function begin(conn, fields)
	step("macro", mt.macro, conn, SMFIC_MAIL, "i", "4F00AB", "{mail_addr}", "a@test.invalid")
	step("mailfrom", mt.mailfrom, conn, "<a@test.invalid>", "BODY=8BITMIME")
	step("macro", mt.macro, conn, SMFIC_RCPT, "{rcpt_addr}", "b@test.invalid")
	step("rcptto", mt.rcptto, conn, "<b@test.invalid>")
	step("rcptto", mt.rcptto, conn, "<c@test.invalid>")
	step("data", mt.data, conn)
	for _, field in ipairs(fields) do
		step("header", mt.header, conn, field[1], field[2])
	end
	step("eoh", mt.eoh, conn)
end

function finish(conn, pieces)
	for _, piece in ipairs(pieces) do
		step("bodystring", mt.bodystring, conn, piece)
	end
	want("an end", mt.eom(conn) == nil)
	return mt.getreply(conn)
end

LATIN = {
	{ "From", "a@test.invalid" },
	{ "Subject", "=?iso-8859-1?Q?Caf=E9?=" },
	{ "MIME-Version", "1.0" },
	{ "Content-Type", "text/plain; charset=iso-8859-1" },
	{ "Content-Transfer-Encoding", "8bit" },
}
