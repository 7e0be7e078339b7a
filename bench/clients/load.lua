-- For wrk: the requests of a file in turn, a line each: METHOD PATH BODY.
-- "{n}" in a line becomes a number that is used once, from a given one on; "{day}" a day that
-- goes on with the numbers, in the past: a copy is not sent in the far future. With "keyed", each
-- request has this number as its Idempotency-Key.

local requests, at, number, keyed = {}, 0, 0, false

local function formatted(line)
    local method, path, body = line:match("^(%S+) (%S+) ?(.*)$")
    if body == "" then
        body = nil
    end
    if keyed then
        wrk.headers["Idempotency-Key"] = string.format("%d", number)
    end
    return wrk.format(method, path, nil, body)
end

function init(args)
    number = tonumber(args[2])
    keyed = args[3] == "keyed"
    for line in io.lines(args[1]) do
        -- What stays the same is written once
        local fixed = not keyed and not (line:find("{n}", 1, true) or line:find("{day}", 1, true))
        requests[#requests + 1] = { fixed and formatted(line), line }
    end
end

function request()
    at = at % #requests + 1
    local fixed, line = unpack(requests[at])
    if fixed then
        return fixed
    end
    number = number + 1
    line = line:gsub("{n}", string.format("%d", number))
    local day = string.format("20%02d-%02d-%02d", number % 23, number % 12 + 1, number % 28 + 1)
    return formatted((line:gsub("{day}", day)))
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '\n{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"failed":%d,"refused":%d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e6,
        latency:percentile(99) / 1e6, errors.connect + errors.read + errors.write, errors.status))
end
