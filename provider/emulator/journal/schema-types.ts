// Made from the schemas beside it by `npx vitest run test/types/schema-types.test.ts -u`.

/** The answered requests of a journal as an HTTP archive (HAR 1.2). Members that begin with `_` are extensions. */
export interface Har {
  /** Content of the archive. */
  readonly log: {
    /** Version of the format. */
    readonly version: "1.2";
    /** Program that created it. */
    readonly creator: {
      /** This emulator. */
      readonly name: string;
      /** Version of this package. */
      readonly version: string;
    };
    /** The runs. */
    readonly pages: readonly {
      /** Time of its first request. */
      readonly startedDateTime: string;
      /** Reference for its requests. */
      readonly id: string;
      /** Line of the journal for the run. */
      readonly title: string;
      /** Always empty. */
      readonly pageTimings: Record<string, never>;
    }[];
    /** The requests that were answered, oldest first. */
    readonly entries: readonly {
      /** Its run. */
      readonly pageref?: string;
      /** Virtual time. */
      readonly startedDateTime: string;
      /** Milliseconds until the answer. */
      readonly time: number;
      /** The request. */
      readonly request: {
        /** GET or POST. */
        readonly method: string;
        /** Whole url without secrets. */
        readonly url: string;
        /** HTTP/1.1. */
        readonly httpVersion: string;
        /** Always empty. */
        readonly cookies: readonly never[];
        /** Headers. */
        readonly headers: readonly {
          /** In lower case. */
          readonly name: string;
          /** Without secrets. */
          readonly value: string;
        }[];
        /** Always empty. */
        readonly queryString: readonly never[];
        /** The body, as far as it was understood. */
        readonly postData?: {
          /** Its Content-Type. */
          readonly mimeType: string;
          /** JSON of the understood members. */
          readonly text: string;
          /** Omitted parts. */
          readonly comment?: string;
        };
        /** Unknown. */
        readonly headersSize: -1;
        /** Bytes, or -1 if unknown. */
        readonly bodySize: number;
      };
      /** The answer. */
      readonly response: {
        /** Status, or 0 without an answer. */
        readonly status: number;
        /** Reason phrase of the status. */
        readonly statusText: string;
        /** HTTP/1.1. */
        readonly httpVersion: string;
        /** Always empty. */
        readonly cookies: readonly never[];
        /** Headers. */
        readonly headers: readonly {
          /** In lower case. */
          readonly name: string;
          /** Without secrets. */
          readonly value: string;
        }[];
        /** The body. */
        readonly content: {
          /** Bytes of the whole body. */
          readonly size: number;
          /** Its Content-Type. */
          readonly mimeType: string;
          /** Its beginning. */
          readonly text?: string;
          /** Omitted parts. */
          readonly comment?: string;
        };
        /** The header Location, or an empty text. */
        readonly redirectURL: string;
        /** Unknown. */
        readonly headersSize: -1;
        /** Bytes, or -1 if unknown. */
        readonly bodySize: number;
      };
      /** Always empty. */
      readonly cache: Record<string, never>;
      /** Milliseconds of its parts. */
      readonly timings: {
        /** 0. */
        readonly send: number;
        /** The whole time. */
        readonly wait: number;
        /** 0. */
        readonly receive: number;
      };
      /** Kind of the fault that affected it. */
      readonly _fault?: string;
    }[];
  };
}
