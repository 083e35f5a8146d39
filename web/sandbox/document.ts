/** What the page needs of the OpenAPI document of a sandbox's control interface. */
export interface ControlDocument {
  readonly operations: readonly {
    readonly id: string;
    readonly method: string;
    readonly path: string;
    readonly summary: string;
  }[];
  /** The members of a planned fault. */
  readonly faultFields: readonly FaultField[];
}

/** A member of a fault: a choice, a number with its bounds, a text or an object. */
export interface FaultField {
  readonly name: string;
  readonly type?: string;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { operationId?: string; summary?: string }>>>
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: Readonly<Record<string, Schema>> }>>;
  };
}

/** Reads the OpenAPI document of the control interface. */
export function readControl(text: string): ControlDocument {
  const { paths, components } = JSON.parse(text) as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId: id, summary = "" }]) =>
      id === undefined ? [] : [{ id, method: method.toUpperCase(), path, summary }],
    ),
  );
  const members = Object.entries(components.schemas.Fault?.properties ?? {});
  const faultFields = members.map(([name, schema]) => {
    const { type, enum: choices, exclusiveMinimum, minimum = exclusiveMinimum, maximum } = schema;
    return choices ? { name, choices } : { name, type, minimum, maximum };
  });
  return { operations, faultFields: faultFields as readonly FaultField[] };
}
