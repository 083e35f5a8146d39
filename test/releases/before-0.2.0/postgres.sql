-- A store is refused for its last migration; its animals must stay.
CREATE SCHEMA animal_store;
CREATE TABLE animal_store.migration (number integer NOT NULL);
INSERT INTO animal_store.migration SELECT generate_series(1, 9);
CREATE TABLE animal_store.animal (id bigint NOT NULL, name text NOT NULL, category_id bigint NOT NULL, status text NOT NULL);
INSERT INTO animal_store.animal VALUES (1, 'Rex', 9223372036854775807, 'available'), (2, 'Bella 🐈', -7, 'sold'), (4, 'imported', 5, 'available');
