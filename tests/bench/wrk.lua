-- One request over and over, and what came of it as one line of numbers. With BENCH_BODIES, a file of
-- bodies, one a line, these in turns; with BENCH_PIPELINED so many requests on their way at once.
wrk.method = "POST"
wrk.body = os.getenv("BENCH_BODY")
wrk.headers["Content-Type"] = "application/json"

local requests, turn = {}, 0

function init()
    local pipelined = tonumber(os.getenv("BENCH_PIPELINED") or "1")
    if os.getenv("BENCH_BODIES") then
        for line in io.lines(os.getenv("BENCH_BODIES")) do
            requests[#requests + 1] = wrk.format(nil, nil, nil, line)
        end
    else
        requests[1] = string.rep(wrk.format(), pipelined)
    end
end

function request()
    turn = turn % #requests + 1
    return requests[turn]
end

function done(summary)
    local e = summary.errors
    io.write(string.format("counted %d %d %d %d\n", summary.requests, summary.duration,
        e.status, e.connect + e.read + e.write + e.timeout))
end
