/** Processor time of another process, thread by thread, as Linux counts it. */

import { readdir, readFile } from 'node:fs/promises'

/** Name of the thread → ms; threads of one name are summed up. */
export type Threads = ReadonlyMap<string, number>

/** Linux counts in hundredths of a second (proc(5), `task/[tid]/stat`). */
const tickMs = 10
const names: Readonly<Record<string, string>> = { V8Worker: 'V8' }

export async function threadsOf(pid: number | undefined): Promise<Threads> {
  const folder = `/proc/${pid}/task`
  const found = new Map<string, number>()
  for (const id of await readdir(folder)) {
    // A thread may end between two looks.
    const text = await readFile(`${folder}/${id}/stat`, 'utf8').catch(() => '')
    const [, comm, rest] = /\((.*)\) (.*)/.exec(text) ?? []
    if (comm === undefined || rest === undefined) continue
    const fields = rest.split(' ')
    const name = names[comm] ?? comm
    const ms = (Number(fields[11]) + Number(fields[12])) * tickMs
    found.set(name, (found.get(name) ?? 0) + ms)
  }
  return found
}

/** What was used between two looks, for each of `count` things: the sum, and the threads that count. */
export function usedBy(before: Threads, after: Threads, count: number): string {
  const each = [...after]
    .map(([name, ms]) => [name, (ms - (before.get(name) ?? 0)) / count] as const)
    .sort(([, a], [, b]) => b - a)
  const sum = each.reduce((all, [, ms]) => all + ms, 0)
  const parts = each.filter(([, ms]) => ms >= 0.005).map(([name, ms]) => `${name} ${ms.toFixed(2)}`)
  return `${sum.toFixed(2)} = ${parts.join(' + ')}`
}
