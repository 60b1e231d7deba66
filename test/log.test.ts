/** The log: one line per event, and nothing secret in it. */

import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { Failure } from '../src/errors.ts'
import { secretRegistry } from '../src/secrets.ts'
import { logger, type Log } from '../src/log.ts'

function record(secrets: readonly string[] = []): { log: Log; lines: string[] } {
  const lines: string[] = []
  const known = secretRegistry(Object.fromEntries(secrets.map((value, at) => [`s${at}`, value])))
  const destination = { write: (line: string) => void lines.push(line) }
  return { log: logger('info', destination, { clean: (line) => known.clean(line) }), lines }
}

const logged = (fields: object, secrets?: readonly string[]): Record<string, unknown> => {
  const { log, lines } = record(secrets)
  log.info(fields, 'thing.done')
  return JSON.parse(lines.join(''))
}

describe('a line of the log', () => {
  it('has level, time, fields and the event name', () => {
    expect(logged({ count: 3 })).toMatchObject({ level: 'info', count: 3, event: 'thing.done' })
  })

  it('[T16] stays one line of valid JSON whatever text it tells', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, name) => {
        const { log, lines } = record()
        log.info({ text, [`n${name}`]: text }, 'thing.done')
        expect(lines).toHaveLength(1)
        expect(lines[0]?.split(/[\n\r\u0085\u2028\u2029]/)).toEqual([lines[0]?.slice(0, -1), ''])
        expect(JSON.parse(lines[0] ?? '')).toMatchObject({ event: 'thing.done' })
      }),
      { numRuns: 500 },
    )
  })

  it.each(['\u001b[31m', '\r\nfake', '\u2028', '\u202e', '\u0085', '\u007f'])(
    '[T16] tells %j without a character that a terminal obeys',
    (text) => {
      const { log, lines } = record()
      log.info({ text }, 'thing.done')
      // oxlint-disable-next-line no-control-regex
      expect(lines.join('').trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/)
      expect(JSON.parse(lines.join('')).text).toBe(text)
    },
  )

  it('is cut when a field is very long', () => {
    expect(JSON.stringify(logged({ text: 'x'.repeat(100_000) })).length).toBeLessThan(9000)
  })
})

describe('an error in the log', () => {
  it('has no stack where somebody else refused, nor in its causes', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), {
      syscall: 'connect',
      code: 'ECONNREFUSED',
    })
    const line = logged({ err: new Failure('store-unavailable', 'The store is away.', { cause }) })
    expect(JSON.stringify(line)).not.toContain('stack')
    expect(line).toMatchObject({
      err: { message: 'store-unavailable: The store is away.', cause: { code: 'ECONNREFUSED' } },
    })
  })

  it('has one where the platform is wrong', () => {
    expect(logged({ err: new TypeError('x is not a function') })).toMatchObject({
      err: { stack: expect.stringContaining('log.test.ts') },
    })
  })
})

describe('a line for a terminal', () => {
  const shown = (fields: object): string => {
    let text = ''
    logger('info', { write: (line: string) => (text += line) }, { isReadable: true }).warn(
      fields,
      'thing.done',
    )
    return text
  }

  it('has time, level, event and fields', () => {
    expect(shown({ count: 3, path: '/a/b', words: 'two words' })).toMatch(
      /^\d\d:\d\d:\d\d WARN  thing\.done count=3 path=\/a\/b words="two words"\n$/,
    )
  })

  it.each(['\u001b[31m', '\r\nfake', '\u2028', '\u202e', '\u0085', '\u007f'])(
    '[T16] has %j without a character that a terminal obeys',
    (text) => {
      expect(shown({ text, [text]: 1 }).trimEnd()).not.toMatch(
        // oxlint-disable-next-line no-control-regex
        /[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/,
      )
    },
  )
})

describe('a failure that repeats', () => {
  const written = (write: (log: Log) => void) => {
    const lines: string[] = []
    const destination = { write: (line: string) => void lines.push(line) }
    write(logger('info', destination, { repeatMs: 60_000 }))
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  }
  const away = () => new Failure('store-unavailable', 'The store is away.')

  it('is written once, whichever request had it', () => {
    const lines = written((log) => {
      for (let n = 0; n < 100; n++) log.warn({ err: away(), requestId: `r${n}` }, 'request.refused')
    })
    expect(lines).toMatchObject([{ requestId: 'r0' }])
  })

  it('is written for each run, and beside another failure', () => {
    const lines = written((log) => {
      log.warn({ err: away(), run: 'a' }, 'run.broken')
      log.warn({ err: away(), run: 'b' }, 'run.broken')
      log.warn({ err: new Failure('time-limit', 'Too long.'), run: 'b' }, 'run.broken')
      log.info({ run: 'b' }, 'run.finished')
      log.info({ run: 'b' }, 'run.finished')
    })
    expect(lines).toHaveLength(5)
  })

  it('is written again after its time, with the number that was left out', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const lines = written((log) => {
      for (let n = 0; n < 5; n++) log.error({ err: away() }, 'store.look-failed')
      vi.advanceTimersByTime(60_000)
      log.error({ err: away() }, 'store.look-failed')
      log.error({ err: away() }, 'store.look-failed')
    })
    vi.useRealTimers()
    expect(lines).toHaveLength(2)
    expect(lines[0]).not.toHaveProperty('repeated')
    expect(lines[1]).toMatchObject({ repeated: 4 })
  })
})

describe('secrets', () => {
  it.each(['Authorization', 'x-api-key', 'apiKey', 'password', 'token', 'Set-Cookie'])(
    '[T7] of the name %s are masked at any depth',
    (name) => {
      const line = JSON.stringify(logged({ a: { b: [{ [name]: 'canary' }] }, [name]: 'canary' }))
      expect(line).not.toContain('canary')
      expect(line).toContain('•••')
    },
  )

  it('[T7] that are registered are masked inside any text, also in their JSON form', () => {
    const secret = 'pa"ss\\word\n1'
    const fields = { url: `before ${secret} after`, err: new Error(`refused ${secret}`) }
    const line = JSON.stringify(logged(fields, [secret]))
    expect(line).not.toContain('word')
    expect(line).toContain('before ••• after')
  })

  it('[T7] in the user part of an address are masked', () => {
    expect(logged({ url: 'https://me:pw@host.example/x' })['url']).toBe(
      'https://•••@host.example/x',
    )
  })

  it('shorter than six characters are not looked for, because every line would have them', () => {
    expect(logged({ text: 'abc' }, ['abc'])['text']).toBe('abc')
  })
})

describe('an error', () => {
  it('is told with kind, place and causes, without what libraries hang on it', () => {
    const cause = Object.assign(new Error('socket closed'), {
      code: 'ECONNRESET',
      request: 'canary',
    })
    const err = new Failure('store-unavailable', 'try later', { cause })
    const line = logged({ err })
    expect(line['err']).toMatchObject({
      type: 'Failure',
      kind: 'store-unavailable',
      cause: { message: 'socket closed', code: 'ECONNRESET' },
    })
    expect(JSON.stringify(line)).not.toContain('canary')
  })

  it('with a circle of causes or fields still gives a line', () => {
    const err: Error & { cause?: unknown } = new Error('round')
    err.cause = err
    const ring: Record<string, unknown> = {}
    ring['ring'] = ring
    expect(logged({ err, ring })).toMatchObject({ event: 'thing.done' })
  })
})

it('a silent log writes nothing', () => {
  const lines: string[] = []
  logger('silent', { write: (line) => void lines.push(line) }).error({}, 'thing.failed')
  expect(lines).toEqual([])
})
