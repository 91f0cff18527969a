package shop

import (
	"database/sql"
	"fmt"
	"log"
)

func find(db *sql.DB, cache *Cache, name string, limit int, placeholders string, names []any) error {
	db.Query("SELECT * FROM users WHERE name = $1", name)
	db.Query("SELECT * FROM users "+"WHERE name = ?", name)
	db.Query(fmt.Sprintf("SELECT * FROM users LIMIT %d", limit))
	db.Query(fmt.Sprintf("SELECT * FROM users WHERE name IN (%s)", placeholders), names...)
	cache.Get("user:" + name)
	cache.Get(fmt.Sprintf("select:%s", name))
	log.Print("SELECT * FROM users WHERE name = '" + name + "'")
	query := "SELECT * FROM users WHERE name = ?"
	_, err := db.Query(query, name)
	return err
}
