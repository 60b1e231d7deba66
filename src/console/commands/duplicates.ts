/** The command that tells which harvested datasets may be the same. */

import type { Command } from '../command.ts'
import type { SchedulerPart } from '../parts.ts'

const marks = { identifier: 'the same identifier', page: 'the same landing page' } as const

export const duplicates = (work: NonNullable<SchedulerPart['duplicates']>): Command => ({
  name: 'duplicates',
  words: '[catalogue]',
  most: 1,
  does: 'lists harvested datasets of several catalogues that may be the same',
  options: {
    number: {
      short: 'n',
      kind: 'number',
      value: 'count',
      most: 100_000,
      means: 'at most so many, 20 by default',
    },
  },
  run: async ({ words: [catalogue], number }, { say }, signal) => {
    const most = number('number') ?? 20
    let told = 0
    for await (const group of work(catalogue, signal)) {
      if (told === most) {
        await say('and more')
        return
      }
      told += 1
      const names = group.map((one) => `${one.platformId ?? one.originalId} in ${one.catalogue}`)
      const [first] = group
      if (first) await say(`${marks[first.mark]}: ${names.join(', ')}`)
    }
    if (told === 0) await say('nothing looks the same')
  },
})
