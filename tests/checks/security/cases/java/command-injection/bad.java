class Archive {
    void run(HttpServletRequest request, String folder, String name) throws IOException {
        Runtime.getRuntime().exec("tar czf backup.tgz " + folder); // bad
        Runtime.getRuntime().exec(String.format("rm -rf %s/%s", folder, name)); // bad
        Runtime.getRuntime().exec(new String[] {"sh", "-c", "du -sh " + folder}); // bad
        Runtime.getRuntime().exec(request.getParameter("command")); // bad
        new ProcessBuilder("bash", "-c", "ls " + folder).start(); // bad
        new ProcessBuilder("sh", "-c", name).start(); // bad
        new ProcessBuilder(List.of("sh", "-c", "cat " + name)).start(); // bad
        String command = "convert " + name + " out.png";
        Runtime runtime = Runtime.getRuntime();
        runtime.exec(command); // bad
    }
}
