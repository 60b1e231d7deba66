/** Binds the routes of pipes. */

import { z } from 'zod'
import type { App } from '../../http/app.ts'
import { invalid } from '../../http/shell/complaints.ts'
import { configured } from '../../pipe/configure.ts'
import type { Json, JsonObject } from '../../pipe/document.ts'
import type { InvalidFile, KnownPipe } from '../../pipe/sources/known-pipes.ts'
import { accepted, runAddress } from '../answering/answers.ts'
import type { SchedulerDeps } from '../deps.ts'
import { masked } from '../masking.ts'
import { jsonBody } from '../reading/json.ts'
import { configs, startMode } from '../reading/trigger.ts'
import { pipeRoutes as routes } from '../routes/pipes.ts'
import { conflicting, unknownPipes } from '../setting.ts'

export function bindPipes(app: App, deps: SchedulerDeps): void {
  const { pipes, launcher, triggers } = deps
  const known = (pipeId: string) => {
    const found = pipes.find(pipeId)
    if (found) return found
    throw unknownPipes([pipeId])
  }
  app.openapi(routes.list, (c) =>
    c.json([...pipes.list().map(listed), ...pipes.invalid().map(unread)]),
  )
  app.openapi(routes.one, (c) => c.json(shownPipe(known(c.req.valid('param').pipeId).pipe)))
  app.openapi(routes.launch, async (c) => {
    const { pipe } = known(c.req.valid('param').pipeId)
    const wish = launchOf(await jsonBody(c, deps.pipeBytes))
    if (wish.configs) configured(pipe, wish.configs)
    const launched = launcher.launch({ ...wish, pipe: pipe.header.name, startedBy: 'api' })
    if ('run' in launched) return accepted(c, launched.run)
    throw conflicting(pipe.header.name, runAddress(c, launched.dropped))
  })
  app.openapi(routes.health, (c) =>
    c.json({
      status: 'up',
      leads: triggers.leads(),
      pipes: pipes.list().length,
      active: launcher.active().length,
    }),
  )
}

const launchBody = z.object({
  configs: configs.optional(),
  startMode: startMode.optional(),
  dryRun: z.boolean().optional(),
  limit: z.int().min(1).max(1_000_000).optional(),
})

function launchOf(body: Json | undefined) {
  const result = launchBody.safeParse(body ?? {})
  if (!result.success) throw invalid(result.error.issues, 'json', body)
  const { configs, startMode, dryRun, limit } = result.data
  return {
    ...(configs && { configs }),
    ...(startMode && { startMode }),
    ...(dryRun !== undefined && { dryRun }),
    ...(limit !== undefined && { limit }),
  }
}

function listed({ pipe, source, file, problems }: KnownPipe) {
  const { name, id, title } = pipe.header
  const segments = pipe.body.segments.map(({ header }) => header.name)
  return { name, id, ...(title !== undefined && { title }), source, file, segments, problems }
}

/** What cannot be read has no name that is certain. */
const unread = ({ source, file, problems }: InvalidFile) => ({
  source,
  file,
  segments: [],
  problems,
})

const shownPipe = (pipe: KnownPipe['pipe']): JsonObject => {
  const whole: JsonObject = JSON.parse(JSON.stringify(pipe))
  return masked(whole)
}
