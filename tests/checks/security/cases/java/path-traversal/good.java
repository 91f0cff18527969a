class Files {
    void show(HttpServletRequest request) throws IOException {
        File file = new File("uploads", FilenameUtils.getName(request.getParameter("name")));
        read(file);
    }

    Path checked(@PathVariable String name) throws IOException {
        Path target = root.resolve(name).normalize();
        if (!target.startsWith(root)) {
            throw new FileNotFoundException(name);
        }
        return target;
    }

    void unpack(ZipEntry entry, File folder) throws IOException {
        File target = new File(folder, entry.getName());
        if (!target.getCanonicalPath().startsWith(folder.getCanonicalPath() + File.separator)) {
            throw new IOException("outside");
        }
        write(target);
    }

    File numbered(HttpServletRequest request) {
        return new File("uploads", Integer.parseInt(request.getParameter("id")) + ".txt");
    }

    File counted(@PathVariable long id, String name) {
        return new File("uploads/" + id, name);
    }

    String constant(HttpServletRequest request) throws IOException {
        String count = request.getParameter("count");
        return read(new File("uploads/list.txt")) + count;
    }
}
