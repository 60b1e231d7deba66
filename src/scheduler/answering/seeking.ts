/** Pipes whose files were written a moment ago: whoever writes one and uses it in the same breath is not told that there is none. */

import type { App } from '../../http/app.ts'
import type { SchedulerDeps } from '../deps.ts'

/** Only for requests that change something, which have a key: looking costs a list of files. */
export function seekPipes(
  app: App,
  { pipes, ending }: Pick<SchedulerDeps, 'pipes' | 'ending'>,
): void {
  const places = ['/pipes/:pipeId/runs', '/triggers/:pipeId', '/triggers/:pipeId/:triggerId']
  app.on(['POST', 'PUT'], places, async (c, next) => {
    const name = c.req.param('pipeId')
    if (name !== undefined && !pipes.find(name)) {
      await pipes.look(AbortSignal.any([c.get('signal'), ending]))
    }
    await next()
  })
}
