-- Sends requests that a file holds in wire form (bench/call.ts), and writes the run's figures as one line of
-- JSON. Arguments: the file, and how many threads there are. Where the file holds one request, no `request`
-- function is made: wrk then builds it once and calls no Lua while it measures.

local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

function init(args)
  local requests, is_create = read(args[1])
  -- CPU time that reading the file took, which the run does not count.
  loaded = os.clock()
  if #requests == 1 then
    wrk.format = function() return requests[1] end
    return
  end
  -- Each thread begins elsewhere in the file, so that repetitions come as late as possible.
  local position = math.floor(number * #requests / tonumber(args[2]))
  creates = 0
  function request()
    position = position % #requests + 1
    if is_create[position] then creates = creates + 1 end
    return requests[position]
  end
end

function read(path)
  local requests, is_create = {}, {}
  local file = assert(io.open(path, "rb"))
  while true do
    local length = file:read("*n")
    if not length then break end
    file:read(1)
    local bytes = file:read(length)
    table.insert(requests, bytes)
    table.insert(is_create, bytes:sub(1, 5) == "POST ")
  end
  file:close()
  return requests, is_create
end

function done(summary)
  local errors = summary.errors
  local creates, begun = 0, 0
  for _, thread in ipairs(threads) do
    creates = creates + (thread:get("creates") or 0)
    begun = math.max(begun, thread:get("loaded"))
  end
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"cpuMicroseconds":%d,"creates":%d,"refusals":%d,"socketErrors":%d}\n',
    summary.requests,
    summary.duration,
    (os.clock() - begun) * 1e6,
    creates,
    errors.status,
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
