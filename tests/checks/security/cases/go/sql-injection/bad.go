package shop

import (
	"context"
	"database/sql"
	"fmt"
)

func find(ctx context.Context, db *sql.DB, name string, table string) error {
	db.Query("SELECT * FROM users WHERE name = '" + name + "'") // bad
	db.Exec(fmt.Sprintf("DELETE FROM users WHERE name = '%s'", name)) // bad
	db.QueryRowContext(ctx, fmt.Sprintf("SELECT id FROM %s WHERE id = %v", table, name)) // bad
	db.Exec( // bad
		fmt.Sprintf(`
		INSERT INTO users (name)
		VALUES ('%s')
	`, name),
	)
	query := "UPDATE users SET name = '" + name + "' WHERE id = 1"
	if _, err := db.ExecContext(ctx, query); err != nil { // bad
		return err
	}
	statement := fmt.Sprintf("SELECT * FROM users WHERE name = %q", name)
	_, err := db.Query(statement) // bad
	return err
}
