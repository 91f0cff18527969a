package shop

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

func show(w http.ResponseWriter, r *http.Request) {
	text, _ := os.ReadFile(filepath.Join("uploads", filepath.Base(r.URL.Query().Get("name"))))
	w.Write(text)
}

func checked(w http.ResponseWriter, r *http.Request) {
	target := filepath.Join("uploads", r.FormValue("name"))
	if !strings.HasPrefix(target, "uploads/") {
		http.NotFound(w, r)
		return
	}
	http.ServeFile(w, r, target)
}

func local(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if !filepath.IsLocal(name) {
		return
	}
	os.Remove(filepath.Join("uploads", name))
}

func constant(w http.ResponseWriter, r *http.Request) {
	count := r.FormValue("count")
	text, _ := os.ReadFile("uploads/list.txt")
	w.Write(append(text, count...))
}

func read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join("uploads", name))
}
