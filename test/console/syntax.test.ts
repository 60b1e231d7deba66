/** Lines become words, words become wishes, and what is wrong is told with what would be right. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Command,
  WrongCommand,
  helpOf,
  longestLine,
  quotedWord,
  usageOf,
  parseArguments,
  splitCommandLine,
} from '../../src/console/command.ts'
import { table } from '../../src/console/command-table.ts'

describe('words', () => {
  it.each<[string, readonly string[]]>([
    ['', []],
    ['  launch   city\tmetrics ', ['launch', 'city', 'metrics']],
    [`run "two words" 'and "these"'`, ['run', 'two words', 'and "these"']],
    [String.raw`run "a \"b\" \\ c"`, ['run', String.raw`a "b" \ c`]],
    [`run ""`, ['run', '']],
    [`a"b c"d`, ['ab cd']],
    [`launch city {"a": {"b": "} {"}} -v`, ['launch', 'city', '{"a": {"b": "} {"}}', '-v']],
    [String.raw`launch city {"a":"\"}"}`, ['launch', 'city', String.raw`{"a":"\"}"}`]],
    [`launch city '{"a":{}}'`, ['launch', 'city', '{"a":{}}']],
  ])('%j are %j', (line, words) => {
    expect(splitCommandLine(line)).toEqual(words)
  })

  it.each(['run "open', `run 'open`, 'launch city {"a":', 'x'.repeat(longestLine + 1)])(
    'are refused where something is not closed or too long: %.20s',
    (line) => {
      expect(() => splitCommandLine(line)).toThrow(WrongCommand)
    },
  )

  it('come back as they were when they are quoted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 6 }),
        (words) => {
          expect(splitCommandLine(words.map(quotedWord).join(' '))).toEqual(words)
        },
      ),
    )
  })
})

const sample: Command = {
  name: 'sample',
  aliases: ['example'],
  words: '<one> [two]',
  summary: 'stands for others',
  options: {
    number: { short: 'n', type: 'string', value: 'count', range: [1, 50], meaning: 'how many' },
    keep: { short: 'k', type: 'boolean', meaning: 'keeps' },
    from: { type: 'string', value: 'pipe', meaning: 'from where' },
  },
  complete: (words) => (words.length === 0 ? ['city', 'citadel', 'lake'] : []),
  run: () => '',
}

describe('options', () => {
  it.each(['-n 20 -k city', 'city -kn20', 'city --number=20 --keep', '--keep city -n 20'])(
    'stand anywhere: %s',
    (line) => {
      const wish = parseArguments(sample, splitCommandLine(line))
      expect(wish).not.toBe('help')
      if (wish === 'help') return
      expect(wish.words).toEqual(['city'])
      expect([wish.number('number'), wish.flag('keep')]).toEqual([20, true])
    },
  )

  it('end at two hyphens', () => {
    expect(parseArguments(sample, ['--', '-k'])).toMatchObject({ words: ['-k'] })
  })

  it.each(['-h', 'city --help', 'a b -n 3 -h'])('ask for the usage with -h: %s', (line) => {
    expect(parseArguments(sample, splitCommandLine(line))).toBe('help')
  })

  it.each<[string, RegExp]>([
    ['', /something is missing; usage: sample <one> \[two\] \[-n count\]/],
    ['a b c', /too many words: c/],
    ['a -z', /Unknown option '-z'/],
    ['a -n 51', /--number must be a whole number 1\.\.50, got 51/],
    ['a -n many', /whole number/],
    ['a --from', /argument missing/],
  ])('are refused with the usage: %s', (line, message) => {
    expect(() => parseArguments(sample, splitCommandLine(line))).toThrow(message)
  })

  it('are told in usage and help', () => {
    expect(usageOf(sample)).toBe('sample <one> [two] [-n count] [-k] [--from pipe]')
    expect(helpOf(sample)).toMatch(/-n, --number count\s+how many\n/)
    expect(helpOf(sample)).toContain('also: example')
  })
})

describe('the table', () => {
  const commands = table([sample])

  it('finds commands by their names and aliases', () => {
    expect(commands.parse('example city').command).toBe(sample)
    expect(commands.parse('sample -h').command.name).toBe('help')
  })

  it('[T14] lists itself for an unknown command, with the one that was meant', () => {
    expect(() => commands.parse('sampel city')).toThrow(
      'unknown command: sampel; did you mean sample?\nthe commands are example, exit, help, sample',
    )
    for (const line of ['__proto__', 'constructor x', '$(ls)', '; rm'])
      expect(() => commands.parse(line)).toThrow(WrongCommand)
  })

  it.each<[string, number, readonly string[]]>([
    ['', 0, ['example', 'exit', 'help', 'sample']],
    ['sa', 0, ['sample']],
    ['sample ci', 7, ['citadel', 'city']],
    ['sample city ', 12, []],
    ['sample --', 7, ['--from', '--help', '--keep', '--number']],
    ['sample "ci', 7, []],
    ['nothing ', 8, []],
  ])('completes %j from %d with %j', (line, from, candidates) => {
    expect(commands.complete(line)).toEqual({ from, candidates })
  })
})
