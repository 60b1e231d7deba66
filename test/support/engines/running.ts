/** A server process: started, waited for, ended. */

import { spawn } from 'node:child_process'

export type Command = {
  readonly file: string
  readonly arguments: readonly string[]
  readonly directory: string
  readonly env?: Readonly<Record<string, string>>
  /** Number of the user and group that it runs as; absent = as we do. */
  readonly user?: number
  /** Any HTTP answer from here means that the server is ready. */
  readonly answersAt: string
  /** How long it may take: a log that has to be rolled forward needs minutes. */
  readonly patienceMs: number
}

export type Running = {
  readonly end: (signal: 'SIGKILL' | 'SIGTERM') => Promise<void>
  readonly send: (signal: 'SIGSTOP' | 'SIGCONT') => void
}

/** Resolves when the server answers; rejects with the end of its output when it dies or takes too long. */
export async function running(command: Command): Promise<Running> {
  const child = spawn(command.file, command.arguments, {
    cwd: command.directory,
    env: { ...process.env, ...command.env },
    ...(command.user !== undefined && { uid: command.user, gid: command.user }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const watcher = endsWithUs(child.pid)
  const state = { over: false }
  const ended = new Promise<void>((resolve) => {
    const over = () => {
      state.over = true
      watcher.kill('SIGKILL')
      resolve()
    }
    child.once('error', (error) => {
      output += String(error)
      over()
    })
    child.once('exit', over)
  })
  const end: Running['end'] = async (signal) => {
    child.kill(signal)
    await ended
  }
  const deadline = AbortSignal.timeout(command.patienceMs)
  while (!(await answers(command.answersAt))) {
    if (state.over) throw new Error(`${command.file} ended before it was ready:\n${output}`)
    if (deadline.aborted) {
      await end('SIGKILL')
      throw new Error(`${command.file} was not ready in ${command.patienceMs} ms:\n${output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return { end, send: (signal) => void child.kill(signal) }
}

/** Kills a process when ours is gone, however that came about: the pipe to the watcher closes then. */
const endsWithUs = (pid: number | undefined) =>
  spawn('sh', ['-c', `cat > /dev/null; kill -9 ${pid}`], { stdio: ['pipe', 'ignore', 'ignore'] })

async function answers(address: string): Promise<boolean> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(2000) })
    await answer.body?.cancel()
    return answer.status !== 503
  } catch {
    return false
  }
}
