-- A rotation looks for a later key of the line, without reading all keys since.
CREATE INDEX api_key_by_line ON animal_store.api_key (line, id);
