/** What a run did one by one, as text for other programs. */

import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { storedProblem } from '../../src/pipe/runs/run.ts'
import { toCsv, toNdjson } from '../../src/scheduler/run-routes.ts'
import { done, runsFixture, start } from '../pipe/runs/runs-fixture.ts'

const created = (id: string) => ({ sourceId: id, stage: 'export', state: 'created' }) as const

async function whole(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

describe('items', () => {
  const runs = () => runsFixture().open()

  it('are CSV with a header, quoted where needed, without formulas', async () => {
    const history = runs()
    const problem = storedProblem(
      new Failure('item-malformed', 'says "no",\nthen stops', {
        errors: [{ line: 3, column: 7, detail: 'x' }],
      }),
    )
    const run = done(history, [
      {
        sourceId: 's',
        originalId: '=cmd()',
        platformId: 'p',
        stage: 'import',
        state: 'failed',
        problem,
      },
    ])
    const text = await whole(toCsv({ run, items: history.items(run.id) }))
    expect(text).toBe(
      'run,pipe,catalogue,state,stage,originalId,platformId,sourceUrl,problem,detail,line,column,time\r\n' +
        `${run.id},city,city,failed,import,'=cmd(),p,,item-malformed,` +
        '"says ""no"",\\u000athen stops",3,7,2026-11-21T06:00:00.000Z\r\n',
    )
  })

  it('are NDJSON, one item each, in pieces that are made as they are taken', async () => {
    const history = runs()
    const run = done(
      history,
      Array.from({ length: 3000 }, (_, n) => created(`s${n}`)),
    )
    let read = 0
    const items = history.items(run.id)
    const counted = (function* () {
      for (const item of items) {
        read += 1
        yield item
      }
    })()
    const pieces = toNdjson({ run, items: counted })
    const { value: first } = await pieces.next()
    expect(read).toBeLessThan(500)
    const text = String(first) + (await whole(pieces))
    const lines = text.trimEnd().split('\n')
    expect(lines).toHaveLength(3000)
    expect(JSON.parse(lines[2999]!)).toMatchObject({ sourceId: 's2999', state: 'created' })
  })

  it('of a run without items are the header, and nothing', async () => {
    const history = runs()
    const run = history.create(start())
    expect(await whole(toCsv({ run, items: [] }))).toMatch(/^run,.*time\r\n$/)
    expect(await whole(toNdjson({ run, items: [] }))).toBe('')
  })
})
