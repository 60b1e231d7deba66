/** The sandbox: what a script tries in order to get out, to stay for ever or to take everything. */

import { describe, expect, it } from 'vitest'
import { scriptTransformer } from '../../../src/harvest/transform/script.ts'
import {
  end,
  jsonRecord,
  record,
  runTransformer,
  type TransformerRunOptions,
} from './run-transformer.ts'

const id = 'https://city.example/a'

/** Each code is evaluated as the script over a record of its own; an honest record follows each of them. */
async function after(codes: readonly string[], setting: TransformerRunOptions = {}) {
  const input = codes.flatMap((code, n) => [
    jsonRecord(2 * n, { code }),
    jsonRecord(2 * n + 1, { code: 'fine' }),
  ])
  const script = `function transforming(input) {
    if (input.code !== 'fine') {
      const answer = (0, eval)(input.code)
      return { '@id': '${id}', 'https://p.example/p': String(answer) }
    }
    return { '@id': '${id}', 'https://p.example/p': 'fine' }
  }`
  const limits = { scriptMs: 1_000, graceMs: 1_000 }
  const first = jsonRecord(1_000, { code: 'fine' })
  const done = await runTransformer(
    scriptTransformer,
    { script },
    { ...setting, input: [first, ...input, end], limits: { ...limits, ...setting.limits } },
  )
  const outcomes = done.messages.slice(1, -1).map((message) => {
    if (message.kind === 'record') return /"(.*)" \.\n$/.exec(message.text)?.[1] ?? message.text
    return message.kind === 'refused' ? message.problem.message : message.kind
  })
  const attempts = outcomes.filter((_, index) => index % 2 === 0)
  const neighbours = outcomes.filter((_, index) => index % 2 === 1)
  return { attempts, neighbours, failure: done.failure }
}

const allFine = (count: number) => Array(count).fill('fine')

describe('[T7] a script sees nothing but the language', () => {
  it('has no door: no modules, processes, files, network, timers or shared memory', async () => {
    const names =
      `require module exports process Buffer global window self std os print scriptArgs bjson
      fetch XMLHttpRequest WebSocket Worker WebAssembly navigator performance structuredClone
      setTimeout setInterval setImmediate queueMicrotask
      SharedArrayBuffer Atomics WeakRef FinalizationRegistry`.split(/\s+/)
    const { attempts } = await after(names.map((name) => `typeof ${name}`))
    expect(attempts).toEqual(names.map(() => 'undefined'))
  })

  it('finds itself again at the end of every chain of constructors', async () => {
    const codes = [
      `this.constructor.constructor('return typeof process')()`,
      `console.log.constructor('return typeof process')()`,
      `params.constructor.constructor('return typeof require')()`,
      `Date.constructor('return typeof process')()`,
      `(function () {}).constructor('return this')() === globalThis`,
      `(async () => {}).constructor('return 1') instanceof Function`,
      `Reflect.construct(Function, ['return typeof process'])()`,
      `new Proxy(function () {}, {}).constructor('return typeof process')()`,
      `Error.prepareStackTrace = (e, frames) => frames; typeof new Error().stack`,
      `try { null.x } catch (e) { e.constructor.constructor('return typeof process')() }`,
      `Object.getPrototypeOf(console.log) === Function.prototype`,
    ]
    const { attempts, neighbours } = await after(codes)
    expect(attempts).toEqual([
      'undefined',
      'undefined',
      'undefined',
      'undefined',
      'true',
      'true',
      'undefined',
      'undefined',
      'string',
      'undefined',
      'true',
    ])
    expect(neighbours).toEqual(allFine(codes.length))
  })

  it('meets no thing of the host on a walk over everything that can be reached', async () => {
    const walk = `(() => {
      const seen = new Set(), open = [globalThis], names = []
      while (open.length > 0 && seen.size < 20000) {
        const thing = open.pop()
        if (thing === null || !['object', 'function'].includes(typeof thing) || seen.has(thing)) continue
        seen.add(thing)
        open.push(Object.getPrototypeOf(thing))
        for (const key of Reflect.ownKeys(thing)) {
          const { value, get, set } = Object.getOwnPropertyDescriptor(thing, key)
          if (/process|require|mainModule|binding|parentPort|emscripten|wasm/i.test(String(key))) names.push(String(key))
          open.push(value, get, set)
        }
      }
      return seen.size > 500 ? names.join() : 'walked too short'
    })()`
    const { attempts } = await after([walk])
    expect(attempts).toEqual([''])
  })

  it('imports nothing, statically or dynamically', async () => {
    const codes = [
      `import('node:fs')`,
      `let out = 'pending'; import('node:fs').then(() => { out = 'in' }, () => { out = 'no' }); out`,
      `eval("import fs from 'node:fs'")`,
    ]
    const { attempts } = await after(codes)
    expect(attempts[0]).not.toContain('[object Module]')
    expect(attempts[1]).toBe('pending')
    expect(attempts[2]).toMatch(/^transform-failed: SyntaxError/)
  })
})

describe('a script that spoils things', () => {
  it('spoils them for its own record only', async () => {
    const codes = [
      `Object.prototype.polluted = 'yes'; Array.prototype.map = null; JSON.parse = null; 'done'`,
      `JSON.stringify = () => '{"@id":"https://victim.example/"}'; Promise = null; Error = null; 'done'`,
      `globalThis.transforming = null; Object.freeze(Object.prototype); 'done'`,
      `Object.defineProperty(Object.prototype, 'code', { get() { return 'x' } }); 'done'`,
    ]
    const { attempts, neighbours } = await after(codes)
    expect(attempts).toEqual(allFine(4).map(() => 'done'))
    expect(neighbours).toEqual(allFine(4))
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it('cannot be spoilt by keys of the record that mean something to objects', async () => {
    const text = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}`
    const script = `function transforming(input) {
      const told = [typeof ({}).polluted, typeof Object.polluted, input.a]
      return { '@id': '${id}', 'https://p.example/p': told.join() }
    }`
    const input = [record(1, { text, mediaType: 'application/json' }), end]
    const { texts } = await runTransformer(scriptTransformer, { script }, { input })
    expect(texts[0]).toContain('"undefined,undefined,1"')
  })
})

describe('a script that takes too much', () => {
  it('time: it is stopped, wherever it spends it', async () => {
    const codes = [
      'for (;;) {}',
      'for (;;) { try { for (;;) {} } catch {} finally { continue } }',
      '/(a+)+b/.test("a".repeat(50))',
      '/a/.test("x".repeat(1e7)); "x".repeat(1e7).match(/(x+x+)+y/)',
      '[...{ *[Symbol.iterator]() { for (;;) yield 1 } }].length',
      '({ get a() { for (;;) {} } }).a',
      'new Proxy({}, { get() { for (;;) {} } }).a',
    ]
    const { attempts, neighbours } = await after(codes)
    const late =
      /^transform-(timeout: the script took|failed: InternalError: (out of memory|interrupted))/
    expect(attempts).toEqual(codes.map(() => expect.stringMatching(late)))
    expect(attempts[0]).toBe('transform-timeout: the script took more than 1000 ms')
    expect(neighbours).toEqual(allFine(codes.length))
  }, 60_000)

  it('stack: in calls, in patterns, in data and in the source', async () => {
    const codes = [
      'const f = (n) => 1 + f(n + 1); f(0)',
      'const g = () => [1].map(g); g()',
      `new RegExp('('.repeat(100000) + 'a' + ')'.repeat(100000)).test('a')`,
      `JSON.parse('['.repeat(1000000) + ']'.repeat(1000000))`,
      `eval('('.repeat(100000) + '1' + ')'.repeat(100000))`,
      'let a = []; for (let i = 0; i < 1e5; i += 1) a = [a]; JSON.stringify(a)',
      'const p = {}; p.toString = () => String(p); p',
    ]
    const { attempts, neighbours } = await after(codes)
    // What does not look at the clock meanwhile is ended from outside.
    const refused = /^transform-(failed|timeout): /
    expect(attempts).toEqual(codes.map(() => expect.stringMatching(refused)))
    expect(neighbours).toEqual(allFine(codes.length))
  }, 60_000)

  it('memory: it fails at the limit, and the process gets it back', async () => {
    const codes = [
      'const a = []; for (;;) a.push(new Array(10000).fill(a.length))',
      'let s = "x"; for (;;) s += s + "y"',
      'new ArrayBuffer(2 ** 30)',
      'const a = []; for (;;) a.push(new Uint8Array(2 ** 20))',
      '"x".repeat(2 ** 29)',
    ]
    const before = process.memoryUsage().rss
    const { attempts, neighbours } = await after(codes, { limits: { scriptMs: 10_000 } })
    expect(attempts).toEqual(codes.map(() => expect.stringMatching(/^transform-failed: /)))
    expect(neighbours).toEqual(allFine(codes.length))
    const grown = () => (process.memoryUsage().rss - before) / 2 ** 20
    await expect.poll(grown, { timeout: 10_000 }).toBeLessThan(50)
  }, 60_000)

  it('itself: results that turn in circles, and errors that are none', async () => {
    const script = `function transforming({ n }) {
      if (n === 0) return { '@id': '${id}', 'https://p.example/p': 1 }
      if (n === 1) { const a = {}; a.a = a; return a }
      if (n === 2) throw null
      if (n === 3) throw { get message() { throw 1 }, toJSON() { throw 2 }, toString() { throw 3 } }
      if (n === 4) throw new Proxy(new Error('x'), { get() { throw 4 } })
      if (n === 5) throw Symbol('s')
      if (n === 6) return { toJSON() { throw new RangeError('no') } }
      if (n === 7) return Symbol('s')
      if (n === 8) return 12n
      if (n === 9) { const e = new Error(); Object.defineProperty(e, 'stack', { get() { for (;;) {} } }); throw e }
      if (n === 10) throw 'x'.repeat(1e6)
      return { '@id': '${id}', 'https://p.example/p': 2 }
    }`
    const input = [...Array(12).keys()].map((n) => jsonRecord(n, { n }))
    const limits = { scriptMs: 1_000, graceMs: 1_000 }
    const { problems, texts } = await runTransformer(
      scriptTransformer,
      { script },
      { input: [...input, end], limits },
    )
    expect(texts).toHaveLength(2)
    expect(problems).toEqual([
      'transform-failed: TypeError: circular reference',
      'transform-failed: threw null',
      'transform-failed: threw something that cannot be shown',
      'transform-failed: threw something that cannot be shown',
      'transform-failed: threw Symbol(s)',
      'transform-failed: RangeError: no (line 8)',
      'transform-empty: the script gave nothing',
      expect.stringMatching(/^transform-failed: TypeError: .*BigInt/),
      'transform-timeout: the script took more than 1000 ms',
      expect.stringMatching(/^transform-failed: threw x{200,300}$/),
    ])
  }, 60_000)

  it('input: a record beyond the limit never reaches it', async () => {
    const { problems } = await runTransformer(
      scriptTransformer,
      { script: 'function transforming(x) { return x }' },
      { input: [jsonRecord(1, 'x'.repeat(2_000)), end], limits: { recordBytes: 1_000 } },
    )
    expect(problems).toEqual(['transform-failed: the record has more than 1000 bytes'])
  })

  it('a place that lasts for the run is made anew after it broke', async () => {
    const script = `let n = 0
    function transforming({ loop }) {
      n += 1
      if (loop) for (;;) {}
      return { '@id': '${id}', 'https://p.example/p': n }
    }`
    const input = [{}, {}, { loop: true }, {}].map((value, n) => jsonRecord(n, value))
    const { texts, problems } = await runTransformer(
      scriptTransformer,
      { script, single: true },
      { input: [...input, end], limits: { scriptMs: 300, graceMs: 300 } },
    )
    expect(problems).toEqual(['transform-timeout: the script took more than 300 ms'])
    expect(texts).toHaveLength(3)
  })
})
