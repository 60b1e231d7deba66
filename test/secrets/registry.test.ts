/** Secrets: they do not show themselves, and no text shows them. */

import { inspect } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { secretRegistry } from '../../src/secrets.ts'
import { logger } from '../../src/log.ts'

const canary = 'kanarie "\\ß&=+ 1234'

describe('a secret', () => {
  const secret = secretRegistry({ portal: canary }).named('portal')

  it('gives its value to who asks for it, and the mask to everybody else', () => {
    expect(secret?.reveal()).toBe(canary)
    expect(String(secret)).toBe('•••')
    expect([secret, secret].join()).toBe('•••,•••')
    expect(JSON.stringify({ auth: { value: secret } })).toBe('{"auth":{"value":"•••"}}')
    expect(inspect({ secret }, { showHidden: true })).not.toContain('kanarie')
    expect(Object.values(secret ?? {})).toEqual([])
  })
})

describe('the registry', () => {
  it('knows the configured names and no others', () => {
    const secrets = secretRegistry({ portal: canary })
    expect(secrets.named('other')).toBeUndefined()
    expect(secrets.named('toString')).toBeUndefined()
    expect(secrets.named('__proto__')).toBeUndefined()
  })

  it('[T7] masks a known value in every text, escaped and encoded too', () => {
    const secrets = secretRegistry({ portal: canary })
    const base64 = Buffer.from(canary).toString('base64')
    for (const text of [
      canary,
      `twice ${canary}${canary}`,
      JSON.stringify({ detail: canary }),
      `https://a.example/?key=${encodeURIComponent(canary)}`,
      `https://a.example/?${new URLSearchParams({ key: canary }).toString()}`,
      `Basic ${base64}`,
    ]) {
      const clean = secrets.clean(text)
      expect(clean).toContain('•••')
      expect(clean).not.toMatch(/kanarie|a2FuYXJpZ/)
    }
  })

  it('masks what it learns later, and leaves what is too short to be looked for', () => {
    const secrets = secretRegistry({ short: '12345' })
    expect(secrets.clean('12345 literal-1')).toBe('12345 literal-1')
    expect(secrets.add('literal-1').reveal()).toBe('literal-1')
    expect(secrets.clean('12345 literal-1')).toBe('12345 •••')
  })

  it('masks the longer of two secrets that begin alike', () => {
    const secrets = secretRegistry({ a: 'secret-one', b: 'secret-one-and-more' })
    expect(secrets.clean('secret-one-and-more')).toBe('•••')
  })

  it('takes characters of patterns for themselves', () => {
    const secrets = secretRegistry({ a: '(.*)+$[a-z]' })
    expect(secrets.clean('everything (.*)+$[a-z] else')).toBe('everything ••• else')
  })

  it('cleans problems and reports, whatever their shape', () => {
    const secrets = secretRegistry({ a: 'value-1' })
    const when = new Date(0)
    const report = {
      errors: [{ detail: 'got value-1', line: 3 }],
      'value-1': null,
      when,
      none: undefined,
    }
    expect(secrets.cleaned(report)).toEqual({
      errors: [{ detail: 'got •••', line: 3 }],
      '•••': null,
      when,
      none: undefined,
    })
    const deep = JSON.parse(`${'['.repeat(5000)}"value-1"${']'.repeat(5000)}`) as unknown
    expect(JSON.stringify(secrets.cleaned(deep))).not.toContain('value-1')
  })

  it('keeps the log clean', () => {
    const secrets = secretRegistry({ portal: canary })
    const lines: string[] = []
    const log = logger('info', { write: (line) => void lines.push(secrets.clean(line)) })
    log.warn({ url: `http://a.example/${canary}`, err: new Error(canary) }, 'test.happened')
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain('kanarie')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ url: 'http://a.example/•••' })
  })

  it('[T7] lets no value of six or more characters through, in any text', () => {
    const value = fc.string({ minLength: 6, unit: 'grapheme' }).filter((text) => text.trim() !== '')
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!'•••'.includes(secret))
        const secrets = secretRegistry({ a: secret })
        const clean = secrets.clean(`${before}${secret}${after}`)
        expect(clean).toContain('•••')
        expect(secrets.clean(JSON.stringify(secret))).not.toContain(
          JSON.stringify(secret).slice(1, -1),
        )
      }),
    )
  })
})
