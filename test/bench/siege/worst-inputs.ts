/** Every anonymous endpoint with the worst that a stranger can send to it, at 1 and at 20 connections. */

import { besiege, measuredGateway, publishHeavy, worstInputs } from '../../support/worst-inputs.ts'
import { table } from '../figures.ts'

/** How long the main thread worked at a stretch, and what was answered. */
export async function worstInputsBench(directory: string): Promise<string> {
  const platform = await measuredGateway(directory)
  const rows: (string | number)[][] = [
    ['endpoint', 'connections', 'longest ms', 'seconds', 'answers'],
  ]
  try {
    await publishHeavy(platform)
    for (const endpoint of worstInputs.keys())
      for (const connections of [1, 20]) {
        const { delay, seconds, answers } = await besiege(platform, endpoint, connections)
        const statuses = [...Map.groupBy(answers, (one) => one)]
        const told = statuses.map(([status, all]) => `${all.length} × ${status}`).join(', ')
        rows.push([endpoint, connections, delay, seconds.toFixed(1), told])
      }
  } finally {
    await platform.stop()
  }
  return table(rows)
}
