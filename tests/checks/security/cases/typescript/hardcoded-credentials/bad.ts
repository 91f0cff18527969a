const dbPassword: string = "hunter2"; // bad

export class Client {
  private readonly password: string = "open-sesame"; // bad
  private static token = "3c9909afec25354d551dae21590bb26e"; // bad
  constructor(private secretKey: string = "my-secret-key") {} // bad
}
