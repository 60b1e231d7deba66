/** SHACL engine: the rules of `rdf-validate-shacl` over own triples, with a bounded list of results. */

import { sh } from '../../rdf/namespaces.ts'
import type { DatasetCore, Quad, Term } from '@rdfjs/types'
import Validator from 'rdf-validate-shacl'
import ValidationEngine, {
  type ValidationResult,
} from 'rdf-validate-shacl/src/validation-engine.js'
import type { Constraint } from 'rdf-validate-shacl/src/shapes-graph.js'
import { closure, graphOf } from '../../rdf/read.ts'
import { type ReportResult, severityOf } from '../measure/validation-report.ts'
import { Pointer, Triples } from './shacl-data.ts'

/** Results of the validation of one record. */
export type ValidationResults = {
  /** Violations first. */
  readonly results: readonly ReportResult[]
  /** Whether there were more results than these. */
  readonly truncated: boolean
}

type Engine = {
  /** Validates a record. Throws what the package throws on shapes that it cannot apply. */
  validate(data: readonly Quad[]): ValidationResults
}

/**
 * Compiles shapes into a validator for any number of records. At most `maxResults` are returned for a record, and validation ends
 * at more violations than that. `owl:imports` must not be among the shapes. Throws on shapes that cannot be compiled.
 */
export function compileShapes(shapes: readonly Quad[], maxResults: number): Engine {
  const triples = new Triples(shapes)
  // The shapes go in by way of the pointer: what the constructor would make of them is never used.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- to iterate is all that the constructor does with it
  const validator = new Validator([] as unknown as DatasetCore)
  const pathOf = pathsIn(shapes)
  validator.$shapes = new Pointer(triples)
  const engine = new RecordingEngine(validator, { maxResults, pathOf, silent: false })
  validator.validationEngine = engine
  for (const { subject } of triples.match(null, sh('path'))) validator.shapesGraph.getShape(subject)
  const targetedShapes = validator.shapesGraph.shapesWithTarget
  return {
    validate: (data) => {
      const pointer = new Pointer(new Triples(data))
      validator.$data = pointer
      engine.begin()
      for (const shape of targetedShapes) {
        for (const focus of shape.getTargetNodes(pointer)) {
          engine.validateNodeAgainstShape(focus, shape, pointer)
        }
      }
      return engine.results()
    },
  }
}

type Paths = (path: Term) => Term | readonly Quad[]

/** Looks up what a result says of its path: the IRI, or the triples of a path that is more than an IRI (SHACL 2.3.1). */
function pathsIn(shapes: readonly Quad[]): Paths {
  const quadsByPath = new Map<string, readonly Quad[]>()
  return (path) => {
    if (path.termType !== 'BlankNode') return path
    let quads = quadsByPath.get(path.value)
    if (!quads) quadsByPath.set(path.value, (quads = closure(graphOf(shapes), path)))
    return quads
  }
}

type Settings = {
  readonly maxResults: number
  readonly pathOf: Paths
  /** Whether no results are recorded, only that there was one, as inside of `sh:or` and similar constraints. */
  readonly silent: boolean
}

const violation = sh('Violation').value

/**
 * Engine that records results as plain terms, where the package builds a graph of each. It does not count visits of nodes: the
 * package takes a value for valid that it has visited fifty times.
 */
class RecordingEngine extends ValidationEngine {
  readonly #settings: Settings
  #violations: ReportResult[] = []
  #others: ReportResult[] = []
  #truncated = false
  #hasFailed = false

  constructor(context: Validator, settings: Settings) {
    super(context, { maxNodeChecks: 0 })
    this.#settings = settings
  }

  begin(): void {
    this.recordErrorsLevel = 0
    this.#violations = []
    this.#others = []
    this.#truncated = false
  }

  results(): ValidationResults {
    const { maxResults } = this.#settings
    const results = [...this.#violations, ...this.#others]
    return {
      results: results.slice(0, maxResults),
      truncated: this.#truncated || results.length > maxResults,
    }
  }

  // The constructor of the package would begin the graph of a report here.
  override initReport(): void {}

  override clone(): ValidationEngine {
    return new RecordingEngine(this.context, { ...this.#settings, silent: true })
  }

  override maxErrorsReached(): boolean {
    return this.#settings.silent
      ? this.#hasFailed
      : this.#violations.length > this.#settings.maxResults
  }

  override validateValueNodeAgainstConstraint(
    focus: Term,
    value: Term | null,
    constraint: Constraint,
  ): boolean {
    this.recordErrorsLevel += 1
    let output: ReturnType<Constraint['validate']>
    try {
      output = constraint.validate(focus, value ?? focus)
    } finally {
      this.recordErrorsLevel -= 1
    }
    const isRecorded = this.recordErrorsLevel === 0 && !this.#settings.silent
    let failed = false
    for (const entry of Array.isArray(output) ? output : [output]) {
      const result = this.normalizeValidationResult(entry, value)
      if (!result) continue
      failed = true
      if (isRecorded) this.#record(result, { focus, value, constraint })
    }
    this.#hasFailed ||= failed
    return failed
  }

  #record(
    result: ValidationResult,
    location: {
      readonly focus: Term
      readonly value: Term | null
      readonly constraint: Constraint
    },
  ): void {
    const isViolation = location.constraint.shape.severity.value === violation
    const list = isViolation ? this.#violations : this.#others
    if (list.length > this.#settings.maxResults) this.#truncated = true
    else list.push(this.#resultOf(result, location))
  }

  #resultOf(
    result: ValidationResult,
    location: {
      readonly focus: Term
      readonly value: Term | null
      readonly constraint: Constraint
    },
  ): ReportResult {
    const { shape, component } = location.constraint
    const path = result.path ?? shape.path?.term
    const value = result.value ?? location.value
    return {
      focusNode: location.focus,
      ...(path ? { path: this.#settings.pathOf(path) } : {}),
      ...(value ? { value } : {}),
      messages: this.createResultMessages(result, location.constraint),
      severity: severityOf(shape.severity.value),
      component: component.node.value,
    }
  }
}
