-- A store is refused for its user_version; its animals must stay.
PRAGMA application_id = 1095652180;
PRAGMA user_version = 7;
CREATE TABLE animal (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT NOT NULL) STRICT;
INSERT INTO animal VALUES (1, 'Rex', 9223372036854775807, 'available'), (2, 'Bella 🐈', -7, 'sold'), (4, 'imported', 5, 'available');
