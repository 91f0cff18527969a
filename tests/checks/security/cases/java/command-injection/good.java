class Archive {
    private static final String LISTING = "ls -la | head";

    void run(Executor executor, String folder, String name) throws IOException {
        Runtime.getRuntime().exec(new String[] {"tar", "czf", "backup.tgz", folder});
        Runtime.getRuntime().exec("ls -la");
        Runtime.getRuntime().exec("ls " + "-la");
        new ProcessBuilder("tar", "czf", "backup.tgz", folder).start();
        new ProcessBuilder("sh", "-c", "ls -la | wc -l").start();
        new ProcessBuilder("sh", "-c", LISTING).start();
        new ProcessBuilder("git", "log", name).start();
        executor.exec("task " + name);
        String command = "ls " + name;
        System.out.println(command);
    }
}
