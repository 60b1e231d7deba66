/** Prelude that runs in the sandbox before a script: fixed clock, seeded random numbers, console, `params`. */

/**
 * JavaScript that runs inside the sandbox: a function of (print, params, settings) that returns `reason`, which formats an error,
 * and `call`, which calls the function of the script with a JSON text. `call` returns a text whose first letter is its type: `o`
 * JSON-LD, `n` nothing, `l` too long, `e` error message. The built-ins that they need are captured before the script can change
 * them.
 */
export const prelude = `(function (print, params, settings) {
  'use strict'
  const { now, seed, logLines, logCharacters, most } = settings
  const { parse, stringify } = JSON
  const { construct } = Reflect
  const { imul } = Math
  const Text = String
  const Future = Promise
  const Fault = Error
  const Clock = Date

  function Day(...parts) {
    if (new.target === undefined) return new Clock(now).toString()
    return construct(Clock, parts.length === 0 ? [now] : parts, new.target)
  }
  Object.defineProperty(Day, 'name', { value: 'Date' })
  Object.defineProperty(Day, 'length', { value: 7 })
  Object.defineProperty(Day, 'prototype', { value: Clock.prototype, writable: false })
  Object.defineProperty(Clock.prototype, 'constructor', { value: Day, writable: true, configurable: true })
  const put = (place, name, value) =>
    Object.defineProperty(place, name, { value, writable: true, configurable: true })
  put(Day, 'now', function now_() { return now })
  put(Day, 'parse', Clock.parse)
  put(Day, 'UTC', Clock.UTC)
  put(globalThis, 'Date', Day)

  let state = seed | 0
  put(Math, 'random', function random() {
    state = (state + 0x6d2b79f5) | 0
    let mixed = imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  })

  let lines = 0
  const textOf = (part) => {
    if (typeof part === 'string') return part
    try {
      return stringify(part) ?? Text(part)
    } catch {
      return 'something that cannot be shown'
    }
  }
  const say = (...parts) => {
    lines += 1
    if (lines > logLines) return
    let line = ''
    for (let i = 0; i < parts.length && line.length < logCharacters; i += 1) {
      line += (i === 0 ? '' : ' ') + textOf(parts[i])
    }
    print(line.slice(0, logCharacters))
  }
  put(globalThis, 'console', { log: say, info: say, warn: say, error: say, debug: say })
  put(globalThis, 'params', parse(params))
  for (const name of ['SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry']) {
    delete globalThis[name]
  }

  const reason = (error) => {
    try {
      const words = error instanceof Fault ? error.name + ': ' + error.message : 'threw ' + textOf(error)
      const place = error instanceof Fault ? /script\\.js:(\\d+)/.exec(error.stack) : null
      return Text(words).slice(0, 300) + (place === null ? '' : ' (line ' + place[1] + ')')
    } catch {
      return 'threw something that cannot be shown'
    }
  }

  return {
    reason,
    call: (transforming, text) => {
      try {
        const out = transforming(parse(text))
        if (out instanceof Future) return 'eTypeError: transforming gives a promise; it must give its result'
        const json = typeof out === 'string' ? out : stringify(out)
        if (json === undefined || json === 'null' || json === '') return 'n'
        return json.length > most ? 'l' : 'o' + json
      } catch (error) {
        return 'e' + reason(error)
      }
    },
  }
})`
