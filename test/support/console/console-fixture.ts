/** A console on real ports with everything behind it. */

import { Writable } from 'node:stream'
import { openConsole, type ConsoleDeps } from '../../../src/console/console-service.ts'
import { apiKeys } from '../../../src/http/api-key.ts'
import { gateway } from '../../../src/http/app.ts'
import { serve } from '../../../src/http/serve.ts'
import { logger } from '../../../src/log.ts'
import { consoleParts, type ConsoleParts } from './console-parts.ts'

export type ConsoleFixture = ConsoleParts & {
  /** `http://127.0.0.1:…/shell` */
  readonly url: string
  readonly telnetPort: number
  readonly lines: () => readonly Record<string, unknown>[]
  readonly exec: (
    line: string,
    options?: { key?: string; signal?: AbortSignal },
  ) => Promise<Response>
  /** What a command says, or throws when it was not taken. */
  readonly said: (line: string) => Promise<string>
  readonly stop: () => Promise<void>
}

export const keyConfig = {
  operator: ['*'],
  typist: ['POST /shell/exec'],
  steward: ['city'],
}

export async function consoleFixture(
  options: Partial<Pick<ConsoleDeps, 'parts' | 'now' | 'clean'>> = {},
): Promise<ConsoleFixture> {
  const runsFixture = consoleParts()
  let written = ''
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      written += chunk.toString()
      done()
    },
  })
  const log = logger('info', sink)
  const opened = await openConsole({
    config: { http: {}, telnet: { host: '127.0.0.1', port: 0 } },
    parts: runsFixture.parts,
    keys: apiKeys(keyConfig),
    log,
    now: Date.now,
    clean: (text) => text,
    http: { log: logger('silent'), base: '/shell' },
    host: '127.0.0.1',
    ...options,
  })
  const served = await serve(gateway(opened.mounted ? [opened.mounted] : []), { port: 0 })
  const url = `${served.url}/shell`
  const exec: ConsoleFixture['exec'] = (line, { key = 'operator', signal } = {}) =>
    fetch(`${url}/exec`, {
      method: 'POST',
      body: line,
      headers: { 'Content-Type': 'text/plain', 'X-API-Key': key },
      ...(signal && { signal }),
    })
  return {
    ...runsFixture,
    url,
    telnetPort: Number(URL.parse(opened.addresses[0] ?? '')?.port),
    lines: () =>
      written
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    exec,
    said: async (line) => {
      const answer = await exec(line)
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${answer.status} ${text}`)
      return text
    },
    stop: async () => {
      await opened.stop()
      await served.close()
      await runsFixture.close()
    },
  }
}
