// Made from the schemas beside it by `npx vitest run test/types/schema-types.test.ts -u`.

/** The answered requests of a journal as an HTTP archive (HAR 1.2). Members that begin with `_` are our own. */
export interface Har {
  /** All of it. */
  readonly log: {
    /** Of the format. */
    readonly version: "1.2";
    /** Program that made it. */
    readonly creator: {
      /** This emulator. */
      readonly name: string;
      /** Of this package. */
      readonly version: string;
    };
    /** The runs. */
    readonly pages: readonly {
      /** Time of its first request. */
      readonly startedDateTime: string;
      /** By which its requests refer to it. */
      readonly id: string;
      /** The line that the journal has for it. */
      readonly title: string;
      /** Nothing is known of it. */
      readonly pageTimings: Record<string, never>;
    }[];
    /** The requests that were answered, oldest first. */
    readonly entries: readonly {
      /** The run to which it belongs. */
      readonly pageref?: string;
      /** Virtual time. */
      readonly startedDateTime: string;
      /** Milliseconds until it was answered. */
      readonly time: number;
      /** Request as it was received. */
      readonly request: {
        /** GET or POST. */
        readonly method: string;
        /** Whole, secrets cut out. */
        readonly url: string;
        /** HTTP/1.1. */
        readonly httpVersion: string;
        /** None are kept. */
        readonly cookies: readonly never[];
        /** As they were sent. */
        readonly headers: readonly {
          /** In lower case. */
          readonly name: string;
          /** Secrets are cut out. */
          readonly value: string;
        }[];
        /** None are kept. */
        readonly queryString: readonly never[];
        /** The body, as far as it was understood. */
        readonly postData?: {
          /** Its Content-Type. */
          readonly mimeType: string;
          /** JSON of what was understood. */
          readonly text: string;
          /** Parts that are left out. */
          readonly comment?: string;
        };
        /** Not known. */
        readonly headersSize: -1;
        /** Bytes, -1 where they are not known. */
        readonly bodySize: number;
      };
      /** Answer as it was sent. */
      readonly response: {
        /** 0 where no answer was sent. */
        readonly status: number;
        /** What the status is called. */
        readonly statusText: string;
        /** HTTP/1.1. */
        readonly httpVersion: string;
        /** None are kept. */
        readonly cookies: readonly never[];
        /** As they were sent. */
        readonly headers: readonly {
          /** In lower case. */
          readonly name: string;
          /** Secrets are cut out. */
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
          /** Parts that are left out. */
          readonly comment?: string;
        };
        /** Its Location, or an empty text. */
        readonly redirectURL: string;
        /** Not known. */
        readonly headersSize: -1;
        /** Bytes, -1 where they are not known. */
        readonly bodySize: number;
      };
      /** Nothing is known of it. */
      readonly cache: Record<string, never>;
      /** Milliseconds of its parts. */
      readonly timings: {
        /** 0. */
        readonly send: number;
        /** All of the time. */
        readonly wait: number;
        /** 0. */
        readonly receive: number;
      };
      /** The kind of the fault that met it. */
      readonly _fault?: string;
    }[];
  };
}
