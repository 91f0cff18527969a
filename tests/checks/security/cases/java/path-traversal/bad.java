class Files {
    void show(HttpServletRequest request, HttpServletResponse response) throws IOException {
        File file = new File("uploads/" + request.getParameter("name")); // bad
        new FileInputStream(file).transferTo(response.getOutputStream());
    }

    Path download(HttpServletRequest request) {
        String folder = "uploads";
        String name = request.getParameter("name");
        return Paths.get(folder, name); // bad
    }

    @GetMapping("/files/{name}")
    Resource serve(@PathVariable String name) {
        return new FileSystemResource(root.resolve(name)); // bad
    }

    void save(MultipartFile upload) throws IOException {
        upload.transferTo(new File("uploads", upload.getOriginalFilename())); // bad
    }

    void unpack(ZipInputStream zip, File folder) throws IOException {
        for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
            File target = new File(folder, entry.getName()); // bad
            write(zip, target);
        }
    }
}
