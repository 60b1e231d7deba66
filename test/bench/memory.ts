/** Resident memory of another process, as Linux counts it. */

import { readFile, writeFile } from 'node:fs/promises'

/** MB; `peak` since the start of the process or the last `forgetPeak`. */
export async function memory(pid: number | undefined): Promise<{ peak: number; now: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kb = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN)
  return { peak: Math.round(kb('VmHWM') / 1024), now: Math.round(kb('VmRSS') / 1024) }
}

/** Begins a new peak (proc(5), `clear_refs`). */
export const forgetPeak = (pid: number | undefined): Promise<void> =>
  writeFile(`/proc/${pid}/clear_refs`, '5')
