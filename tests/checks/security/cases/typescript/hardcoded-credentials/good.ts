interface Login {
  password: string;
  token: "access" | "refresh";
}

type Field = "password" | "new-password";

export class Client {
  private readonly password: string = process.env.PASSWORD ?? "";
  constructor(private readonly secretKey: string) {}
}

export const login = <Login>{ password: read("password"), token: "refresh" };
