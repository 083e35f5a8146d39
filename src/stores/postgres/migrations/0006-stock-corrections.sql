-- What operators have changed and removed: see the SQLite migration of the same name.
CREATE TABLE animal_store.stock_correction (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  made_at bigint NOT NULL,
  made_by text NOT NULL,
  animal_id bigint NOT NULL,
  name_before text NOT NULL,
  category_id_before bigint NOT NULL,
  status_before text NOT NULL,
  name_after text,
  category_id_after bigint,
  status_after text,
  CHECK ((name_after IS NULL) = (category_id_after IS NULL) AND (name_after IS NULL) = (status_after IS NULL))
);

CREATE INDEX stock_correction_by_animal ON animal_store.stock_correction (animal_id, id);
