/** The scheduler of a running platform, as a client speaks to it. */

import type { Run } from '../../../src/pipe/runs/run.ts'
import { eventually, type Gateway } from '../../support/gateway.ts'

const ends = ['finished', 'failed', 'cancelled', 'timed-out', 'interrupted']

export function scheduler({ url, key }: Pick<Gateway, 'url' | 'key'>) {
  const base = `${url}/api/scheduler`
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  const run = async (id: string) => (await (await fetch(`${base}/runs/${id}`)).json()) as Run
  const launch = async (pipe: string): Promise<string> => {
    const answer = await fetch(`${base}/pipes/${pipe}/runs`, {
      method: 'POST',
      headers,
      body: '{}',
    })
    if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`)
    return ((await answer.json()) as Run).id
  }
  const settled = async (id: string, ms = 60_000): Promise<Run> => {
    await eventually(async () => ends.includes((await run(id)).status), ms)
    return run(id)
  }
  return {
    base,
    headers,
    run,
    launch,
    settled,
    harvested: async (pipe: string): Promise<Run> => settled(await launch(pipe)),
    runs: async () => (await (await fetch(`${base}/runs?limit=1000`)).json()) as Run[],
    confirm: async (id: string) =>
      (await fetch(`${base}/runs/${id}/confirm`, { method: 'POST', headers })).status,
  }
}
