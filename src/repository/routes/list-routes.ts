/** The routes of lists, and of dumps of whole catalogues. */

import type { AppContext } from '../../http/app.ts'
import { longAnswer } from '../../http/shell/flow.ts'
import { fromLines } from '../../rdf/lines.ts'
import { formats, splitSuffix } from '../../rdf/media-types.ts'
import {
  catalogueList,
  datasetList,
  distributionList,
  dumpOf,
  memberList,
  vocabularyList,
} from '../listing/lists.ts'
import { answerList } from '../listing/list-answer.ts'
import { unknownDataset } from '../writing/find-datasets.ts'
import { repositoryAnswers as answers, listRoute, readRoute } from './contract.ts'
import { repositoryParameters as parameters } from './parameters.ts'
import { answerDocument } from './responses.ts'
import { demandId, type RouteContext } from './route-context.ts'

const listCatalogues = listRoute('/catalogues', 'List catalogues', { query: parameters.list })

const listMembers = listRoute(
  '/catalogues/{catalogueId}/datasets',
  'List the datasets of a catalogue',
  { params: parameters.catalogue, query: parameters.datasets },
)

const listDatasets = listRoute('/datasets', 'List datasets', { query: parameters.datasetList })

const listDistributions = listRoute(
  '/datasets/{datasetId}/distributions',
  'List the distributions of a dataset',
  { params: parameters.dataset, query: parameters.list },
)

const listVocabularies = listRoute('/vocabularies', 'List vocabularies', { query: parameters.list })

const dump = readRoute(
  '/catalogues/{catalogueId}/dump',
  'Read a whole catalogue as one document',
  { params: parameters.catalogue },
  {
    description:
      'The catalogue, its datasets with their distributions and records, and the links between them; `dump.nq`, `dump.ttl` and so on beat Accept. The import takes it back. RDF/XML leaves out what XML cannot express (control characters, properties without an XML name); comments hold it as N-Triples.',
    responses: answers.dump,
  },
)

export function addListRoutes(context: RouteContext): void {
  const { app, store, names } = context

  app.openapi(listCatalogues, (c) =>
    answerList(c, context, catalogueList(context), c.req.valid('query')),
  )
  app.openapi(listVocabularies, (c) =>
    answerList(c, context, vocabularyList(context), c.req.valid('query')),
  )
  app.openapi(listDatasets, (c) => {
    const { catalogue, ...query } = c.req.valid('query')
    if (catalogue === undefined) return answerList(c, context, datasetList(context), query)
    const members = memberList(context, demandId('catalogue', catalogue))
    return answerList(c, context, { ...members, path: '/datasets', within: { catalogue } }, query)
  })
  app.openapi(listMembers, (c) => {
    const id = demandId('catalogueId', c.req.valid('param').catalogueId)
    return answerList(c, context, memberList(context, id), c.req.valid('query'))
  })
  app.openapi(listDistributions, async (c) => {
    const id = demandId('datasetId', c.req.valid('param').datasetId)
    const lines = await store.read(names.dataset(id), {}, c.get('signal'))
    if (lines === undefined) throw unknownDataset(id)
    const list = distributionList(id, fromLines(lines), names)
    return answerList(c, context, list, c.req.valid('query'))
  })
  addDumpRoute(context)
}

function addDumpRoute(context: RouteContext): void {
  const { app } = context
  const answer = (c: AppContext) => {
    const id = demandId('catalogueId', c.req.param('catalogueId') ?? '')
    const { format: suffix } = splitSuffix(c.req.path)
    const parts = dumpOf(context, id, c.get('signal'))
    return longAnswer(c, () => answerDocument(c, context, parts, { suffix, name: id }))
  }
  app.openapi(dump, answer)
  // A suffix that is no part of an id is a route of its own to the router.
  for (const { suffix } of Object.values(formats))
    app.get(`/catalogues/:catalogueId/dump.${suffix}`, answer)
}
