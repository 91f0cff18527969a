// Written by `untildone init`, removed by `untildone uninstall`. Changes are lost.
import { spawn } from "node:child_process"

const HOOKS = "{hooks}"
const SHELL = process.platform === "win32" ? ["cmd.exe", "/d", "/s", "/c"] : ["/bin/sh", "-c"]

function call(event, payload) {
  return new Promise((resolve) => {
    const child = spawn(SHELL[0], [...SHELL.slice(1), HOOKS[event].command], {
      cwd: payload.cwd,
      env: { ...process.env, UNTILDONE_OPENCODE_SESSION: payload.session_id },
      stdio: ["pipe", "pipe", "ignore"],
      timeout: HOOKS[event].timeout * 1000,
    })
    let text = ""
    child.stdout.on("data", (data) => (text += data))
    child.stdin.on("error", () => {})
    child.on("error", () => resolve({}))
    child.on("close", () => {
      try {
        resolve(JSON.parse(text || "{}"))
      } catch {
        resolve({})
      }
    })
    child.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }))
  })
}

// Which file of ours works in each folder: the user's and the project's may both be loaded.
const loaded = (globalThis[Symbol.for("untildone")] ??= new Map())

export const Untildone = async ({ client, directory }) => {
  if ((loaded.get(directory) ?? import.meta.url) !== import.meta.url) return {}
  loaded.set(directory, import.meta.url)
  // The main session of each session: a subagent's session has a parent.
  const mains = new Map()
  // The message after which each session was judged last: a turn can end in several idle events.
  const judged = new Map()
  const judging = new Set()
  // What we have sent ourselves: no prompts of the user.
  const sent = new Set()
  // What a session's model reads about its loop with its next message, after a compaction.
  const reminders = new Map()

  function takeReminder(sessionID) {
    const text = reminders.get(sessionID)
    reminders.delete(sessionID)
    return text
  }

  async function findMain(sessionID) {
    if (!mains.has(sessionID)) {
      const { data } = await client.session.get({ path: { id: sessionID } })
      mains.set(sessionID, data?.parentID ? await findMain(data.parentID) : sessionID)
    }
    return mains.get(sessionID)
  }

  async function ask(event, sessionID, payload) {
    const main = await findMain(sessionID)
    const subagent = main === sessionID ? {} : { agent_id: sessionID }
    const answer = await call(event, { session_id: main, cwd: directory, ...subagent, ...payload })
    if (answer.notice) {
      const body = { title: "untildone", message: answer.notice, variant: "info" }
      client.tui.showToast({ body }).catch(() => {})
    }
    if (answer.abort) await client.session.abort({ path: { id: main } })
    return answer
  }

  async function readMessages(sessionID) {
    const { data } = await client.session.messages({ path: { id: sessionID } })
    return data ?? []
  }

  async function judge(sessionID) {
    const last = (await readMessages(sessionID)).at(-1)
    // Without an answer there is nothing to judge. After Esc an unfinished message is the last one;
    // that it was aborted is written into it only later. The summary of a compaction is no answer.
    const { role, error, finish, summary } = last?.info ?? {}
    if (role !== "assistant" || error || !finish || summary) return
    if (judged.get(sessionID) === last.info.id) return
    judged.set(sessionID, last.info.id)
    const texts = last.parts.filter((part) => part.type === "text").map((part) => part.text)
    const agent = last.info.agent ?? last.info.mode
    const answer = await ask("Stop", sessionID, {
      prompt_id: last.info.parentID,
      last_assistant_message: texts.join("\n"),
      permission_mode: agent === "plan" ? "plan" : "default",
    })
    // The user's own next prompt goes first.
    if (!answer.prompt || (await readMessages(sessionID)).at(-1)?.info.id !== last.info.id) return
    sent.add(answer.prompt)
    const parts = [{ type: "text", text: answer.prompt }]
    await client.session.promptAsync({ path: { id: sessionID }, body: { agent, parts } })
  }

  async function judgeOnce(sessionID) {
    if (judging.has(sessionID) || (await findMain(sessionID)) !== sessionID) return
    judging.add(sessionID)
    try {
      await judge(sessionID)
    } finally {
      judging.delete(sessionID)
    }
  }

  return {
    event: async ({ event }) => {
      const { sessionID, info } = event.properties ?? {}
      // Not awaited: the client goes on with its next event.
      if (event.type === "session.idle") judgeOnce(sessionID).catch(() => {})
      if (event.type === "session.created" && !info.parentID)
        await ask("SessionStart", info.id, { source: "startup" })
      if (event.type === "session.deleted" && !info.parentID)
        await call("SessionEnd", { session_id: info.id, cwd: directory })
    },
    "chat.message": async (input, output) => {
      if ((await findMain(input.sessionID)) !== input.sessionID) return
      const text = output.parts.find((part) => part.type === "text" && !part.synthetic)
      if (!text) return
      const payload = { prompt: text.text, prompt_id: output.message.id }
      const isOurs = sent.delete(text.text)
      const answer = isOurs ? {} : await ask("UserPromptSubmit", input.sessionID, payload)
      if (answer.refuse) throw new Error(answer.refuse)
      const context = answer.context ?? takeReminder(input.sessionID)
      if (context)
        output.parts.push({ ...text, id: `${text.id}0`, text: context, synthetic: true })
    },
    "tool.execute.before": async (input, output) => {
      const answer = await ask("PreToolUse", input.sessionID, {
        tool_name: input.tool,
        tool_input: output.args,
        tool_use_id: input.callID,
      })
      if (answer.refuse) throw new Error(answer.refuse)
    },
    "tool.execute.after": async (input, output) => {
      const answer = await ask("PostToolUse", input.sessionID, {
        tool_name: input.tool,
        tool_input: input.args,
        tool_use_id: input.callID,
        tool_response: output.output,
      })
      for (const text of [answer.context, takeReminder(input.sessionID)])
        if (text) output.output = `${output.output}\n\n${text}`
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      if ((await findMain(sessionID)) !== sessionID) return
      const answer = await ask("SessionStart", sessionID, { source: "compact" })
      if (answer.context) reminders.set(sessionID, answer.context)
    },
    "shell.env": async (input, output) => {
      if (input.sessionID)
        output.env.UNTILDONE_OPENCODE_SESSION = await findMain(input.sessionID)
    },
  }
}
