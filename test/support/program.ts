/** The program `cartulary` as a process of its own, as somebody types it. */

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The file that starts it. */
export const programFile = fileURLToPath(new URL('../../bin/cartulary.js', import.meta.url))

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

type How = {
  readonly input?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
}

/** Runs it to its end, without the settings of this process for it. */
export function cartulary(
  words: readonly string[],
  { input = '', env = {}, cwd }: How = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [programFile, ...words], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (part) => (out += String(part)))
  child.stderr.on('data', (part) => (err += String(part)))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })))
}
