-- Sends one request over and over, and writes the run's figures as one line of JSON.
-- Arguments: the method, and the body if there is one. No `request` or `response` function: wrk then
-- builds the request once and calls no Lua while it measures.

function init(args)
  wrk.method = args[1]
  wrk.body = args[2]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"p99Microseconds":%d,"refusals":%d,"socketErrors":%d}\n',
    summary.requests,
    summary.duration,
    latency:percentile(99),
    errors.status,
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
