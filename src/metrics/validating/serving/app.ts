/** The validation service: RDF in, a SHACL report out. */

import type { Quad } from '@rdfjs/types'
import { newApp, type App, type AppContext, type AppOptions } from '../../../http/app.ts'
import { docs } from '../../../http/docs-page.ts'
import { slots } from '../../../http/keys/slots.ts'
import type { Limits } from '../../../http/limits.ts'
import { answerFormat, answerRdf, readRdf } from '../../../http/rdf.ts'
import { toLines } from '../../../rdf/lines.ts'
import { closure, graphOf, instances } from '../../../rdf/read.ts'
import { namedNode } from '../../../rdf/terms.ts'
import { annotation, type ReportGraph } from '../../dqv/writing.ts'
import { sh } from '../../quality-terms.ts'
import { withoutRecords } from '../engine/record.ts'
import { chosenModels } from '../shapes/models.ts'
import type { Validation } from '../validation.ts'
import { reportRoute } from './routes.ts'

export type ValidationAppDeps = {
  readonly validation: Validation
  readonly limits: Pick<Limits, 'validationBytes' | 'validationsPerClient' | 'validations'>
  readonly http: Omit<AppOptions, 'name'>
  readonly version: string
  /** Whether an IRI is one of the platform's own: catalogue records of senders are validated. */
  readonly isOwn: (iri: string) => boolean
}

/** Open to everybody, within narrow limits. */
export function validationApp(deps: ValidationAppDeps): App {
  const { validationBytes, validationsPerClient, validations } = deps.limits
  const app = newApp({ ...deps.http, name: 'validation' })
  const own = slots({ atOnce: validationsPerClient, limit: 'validationsPerClient' })
  const all = slots({ atOnce: validations, limit: 'validations' })
  app.openapi(reportRoute, (c) =>
    own.run(c.var.client, () =>
      all.run('all', async () => {
        // Before the work, because nothing of it could be told.
        answerFormat(c)
        const models = chosenModels(choiceOf(c), deps.validation.models())
        const limits = { bytes: validationBytes, name: 'validationBytes' }
        const quads = await readRdf(c, { baseIri: `${c.get('address')}/`, limits })
        const record = withoutRecords(quads, deps.isOwn)
        const options = { withRecords: true }
        const report = await deps.validation.validate(record, models, c.var.signal, options)
        return answerRdf(c, toLines(reportQuads(report)))
      }),
    ),
  )
  docs(app, {
    title: 'Validation',
    version: deps.version,
    description: 'Tells how far descriptions of datasets follow DCAT-AP.',
  })
  return app
}

/** Also when a parameter is repeated. */
function choiceOf(c: AppContext) {
  return { shapeModel: c.req.queries('shapeModel'), customized: c.req.queries('customized') }
}

/** The report as it hangs on a dataset, without what it hangs by. */
function reportQuads(report: ReportGraph): readonly Quad[] {
  const annotated = graphOf(annotation({ dataset: namedNode('urn:dataset'), at: '', report }))
  return instances(annotated, sh('ValidationReport')).flatMap((node) => closure(annotated, node))
}
