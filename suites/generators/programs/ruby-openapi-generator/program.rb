require 'json'
require 'uri'
require 'openapi_client'

def connect(key)
  url = URI(ENV.fetch('ANIMAL_STORE_URL'))
  configuration = OpenapiClient::Configuration.new do |settings|
    settings.scheme = url.scheme
    settings.host = "#{url.host}:#{url.port}"
    settings.base_path = url.path
    settings.server_index = nil
    settings.access_token = key
  end
  OpenapiClient::AnimalsApi.new(OpenapiClient::ApiClient.new(configuration))
end

def names(api)
  found = []
  cursor = nil
  loop do
    page, _, headers = api.list_pets_with_http_info(limit: 2, **(cursor ? { cursor: cursor } : {}))
    found.concat(page.map(&:name))
    cursor = headers['Link'].to_s[/[?&]cursor=([^&>]+)[^>]*>; rel="next"/, 1]
    return found if cursor.nil?
  end
end

def refused(what)
  yield
rescue OpenapiClient::ApiError => error
  puts "#{what} #{error.code} #{JSON.parse(error.response_body)['code']}"
end

api = connect(ENV.fetch('API_KEY'))
created = api.create_pet(OpenapiClient::AnimalInput.new(name: 'Rex', category_id: 2**63 - 1))
puts "created #{created.category_id}"
puts "got #{api.get_pet(created.id).category_id}"
puts "listed #{names(api).join(',')}"
refused('unauthorized') { connect('wrong').list_pets }
refused('unknown') { api.get_pet(4242) }
# White space that only Unicode knows: the pattern lets it pass, the service does not.
refused('invalid') { api.create_pet(OpenapiClient::AnimalInput.new(name: "\u2003", category_id: 1)) }
