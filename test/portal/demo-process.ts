/** `cartulary demo` as a process of its own, for tests that walk through what it shows. */

import { spawn } from 'node:child_process'
import { programFile } from '../support/program.ts'

const root = new URL('../..', import.meta.url).pathname
export type DemoProcess = {
  /** Home page, `/` at its end. */
  readonly home: string
  /** Keys of the publisher and the steward. */
  readonly publisher: string
  readonly steward: string
  /** Key of the administrator. */
  readonly key: string
  /** Everything that it printed. */
  readonly output: string
  /** Ctrl-C; resolves with the exit code. */
  readonly end: () => Promise<number | null>
}

/** Resolves when it says where to look, rejects when it ends before; its files are in `temporary`. */
export async function startDemo(
  temporary: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<DemoProcess> {
  const child = spawn(process.execPath, [programFile, 'demo'], {
    cwd: root,
    env: { ...process.env, PLATFORM_PORT: '0', TMPDIR: temporary, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('For programs')) resolve()
    })
    void ended.then((code) => reject(new Error(`ended with ${code}: ${output}`)))
  })
  const [, home = '', publisher = '', steward = '', key = ''] =
    /Look at\n {2}(\S+)\n.*\n {2}(\S+) .*publisher.*\n {2}(\S+) .*steward.*\n {2}(\S+) .*administrator.*\nCtrl-C ends/.exec(
      output,
    ) ?? []
  return {
    home,
    publisher,
    steward,
    key,
    output,
    end: () => {
      child.kill('SIGINT')
      return ended
    },
  }
}
