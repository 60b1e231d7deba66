/** The progress of a command on its way to the reader. */

import { describe, expect, it } from 'vitest'
import type { CommandContext } from '../../src/console/command.ts'
import { table } from '../../src/console/command-table.ts'
import { execution } from '../../src/console/execution.ts'
import { logger } from '../../src/log.ts'

describe('the progress of a command', () => {
  /** Answer of a command that reports a step every so many milliseconds. */
  async function answerOf(stepMs: number): Promise<string> {
    let now = 0
    const run = async (_: unknown, { progress }: CommandContext) => {
      for (const step of ['25 %', '50 %', '75 %', '100 %']) {
        now += stepMs
        progress(step)
      }
      return Promise.resolve('4 records indexed')
    }
    const commands = table([{ name: 'fill', summary: 'fills', run }])
    const running = execution({
      log: logger('silent'),
      now: () => now,
      clean: (text) => text,
      stopping: new AbortController().signal,
    })
    const reader = { key: 'k', transport: 'http', signal: new AbortController().signal } as const
    let answer = ''
    for await (const piece of running.run(commands.parse('fill'), reader)) answer += piece
    return answer
  }
  const end = '4 records indexed\nCommand finished\n'

  it('is sent every five seconds, and to its end before the result', async () => {
    expect(await answerOf(3000)).toBe(`50 %\n100 %\n${end}`)
    expect(await answerOf(2000)).toBe(`75 %\n100 %\n${end}`)
  })

  it('is not sent by a command that is done before', async () => {
    expect(await answerOf(1000)).toBe(end)
  })
})
