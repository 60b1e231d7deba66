/** Finds background work that is written by hand where `workers/` has a mechanism for it. */

import type { SourceFile } from './import-rules.ts'

/** Statements that have no place outside the mechanisms, by what a reader should use instead. */
const statements: Readonly<Record<string, RegExp>> = {
  backgroundLoop: /\bsetInterval\(/,
  KeyedLock: /\bMap<[^<>]*, Promise<(?:void|unknown)>>/,
  pause: /setTimeout[^\n]* from 'node:timers\/promises'/,
}

const endless = /\bfor \(;;\)|\bwhile \((?:true|[^\n]*(?:aborted|stopp|closed|running)[^\n]*)\)/gi
const waiting = /\b(?:pause|sleep|setTimeout|wait)\(/

/** The statement after a loop's head: a block up to its closing brace, else up to the end of the line. */
function bodyAfter(text: string, start: number): string {
  if (!/^\s*\{/.test(text.slice(start))) return text.slice(start, text.indexOf('\n', start))
  let depth = 0
  for (let at = text.indexOf('{', start); at < text.length; at += 1) {
    if (text[at] === '{') depth += 1
    if (text[at] === '}') depth -= 1
    if (depth === 0) return text.slice(start, at)
  }
  return text.slice(start)
}

/** One sentence for each piece of it, `workers/` and `jobs/` left out. */
export function handMadeLoops(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !/^(?:workers|jobs)\//.test(path))
    .flatMap(({ path, text }) => {
      const found = Object.entries(statements).filter(([, code]) => code.test(text))
      const loops = [...text.matchAll(endless)].filter(({ index, 0: head }) =>
        waiting.test(bodyAfter(text, index + head.length)),
      )
      return [
        ...found.map(([mechanism]) => `${path} does by hand what ${mechanism} does`),
        ...loops.map(({ 0: head }) => `${path} waits in a loop of its own: ${head}`),
      ]
    })
}
