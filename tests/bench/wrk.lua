-- One request over and over, and what came of it as one line of numbers.
wrk.method = "POST"
wrk.body = os.getenv("BENCH_BODY")
wrk.headers["Content-Type"] = "application/json"

function done(summary)
    local e = summary.errors
    io.write(string.format("counted %d %d %d %d\n", summary.requests, summary.duration,
        e.status, e.connect + e.read + e.write + e.timeout))
end
