package shop

import (
	"net/http"
	"os"
	"path/filepath"

	"github.com/gorilla/mux"
)

func show(w http.ResponseWriter, r *http.Request) {
	text, _ := os.ReadFile("uploads/" + r.URL.Query().Get("name")) // bad
	w.Write(text)
}

func download(w http.ResponseWriter, r *http.Request) {
	http.ServeFile(w, r, filepath.Join("uploads", r.FormValue("name"))) // bad
}

func byVariable(w http.ResponseWriter, r *http.Request) {
	folder := "uploads"
	name := r.PathValue("name")
	target := filepath.Join(folder, name) // bad
	os.Remove(target)
}

func byField(w http.ResponseWriter, r *http.Request) {
	name := mux.Vars(r)["name"]
	file, err := os.Open("uploads/" + name) // bad
	if err == nil {
		defer file.Close()
	}
}

func gin(c *Context) {
	c.File("uploads/" + c.Param("name")) // bad
}
